#!/bin/sh
echo 'the model cannot be reached' >&2
exit 3
