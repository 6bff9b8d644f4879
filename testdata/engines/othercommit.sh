#!/bin/sh
cat >/dev/null
echo '{"head_sha":"9999999999999999999999999999999999999999","findings":[]}'
