#!/bin/sh
cat >/dev/null
echo '{"summary":"Nothing to say.","findings":[],"usage":{"input_tokens":120,"output_tokens":30,"cost_usd":0.01,"confidence":"exact"}}'
