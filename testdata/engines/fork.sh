#!/bin/sh
cat >/dev/null
sleep 600 &
(setsid env -i /bin/sh -c 'sleep 600' &)
echo '{"findings":[]}'
