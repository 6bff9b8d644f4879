#!/bin/sh
# The first changed file is cut out of the request with sed, to need nothing else.
file=$(sed -n 's/.*"files":\[{"path":"\([^"]*\)".*/\1/p')
printf '{"summary":"Read it.","findings":[{"title":"Say why","file":"%s","line_start":1,"severity":"suggestion","category":"docs","body":"A comment would help."}],"usage":{"input_tokens":120,"output_tokens":30,"cost_usd":0.01,"confidence":"exact"}}\n' "$file"
