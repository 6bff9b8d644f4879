#!/bin/sh
echo 'the plan is used up' >&2
echo 'reviewctl: usage-limit reset=2030-01-02T03:04:05Z' >&2
exit 1
