#!/bin/sh
if grep -q '"correction":null'; then
  printf '{"findings":[{"title":"First"},{"title":"Second","bo'
else
  echo '{"findings":[{"title":"First"},{"title":"Second","body":"whole"}]}'
fi
