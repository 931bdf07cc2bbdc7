#!/usr/bin/env bash
# Uploads index.js as a build, and as a preview with a test run. Prints the URLs of the build, the run and a share link.
# Needs SLIPWAY_URL, SLIPWAY_KEY, curl 7.76 or newer, jq, git and sha256sum (on macOS: shasum -a 256).
set -euo pipefail
# Prints the response; for an error, prints it to stderr and fails.
request() { local response; response=$(curl -sS --fail-with-body "$@") || { echo "$response" >&2; return 1; }; printf %s "$response"; }
api() { request -H "authorization: Bearer $SLIPWAY_KEY" -H "content-type: application/json" "$@"; }
bundle="\"contentHash\": \"$(sha256sum index.js | cut -c1-64)\", \"bundleSizeBytes\": $(wc -c < index.js), \"bundleContentType\": \"text/javascript\""

reserved=$(api $SLIPWAY_URL/api/v1/builds -d "{ \"owner\": \"acme\", \"repo\": \"app\", \"branch\": \"main\", \"platform\": \"ios\",
  \"commitSha\": \"$(git rev-parse HEAD)\", $bundle }")
request -X PUT "$(jq -r .slots.bundle.putUrl <<< "$reserved")" -H "content-type: text/javascript" --data-binary @index.js
api $SLIPWAY_URL/api/v1/builds -d "$(jq '{ operation: "finalize", token }' <<< "$reserved")" | jq -r .url

# A preview with the events of a failed test, the run that refers to it, and a link for people without a key
reserved=$(api $SLIPWAY_URL/api/v1/previews -d "{ \"owner\": \"acme\", \"repo\": \"app\", \"billingKind\": \"test_run\", $bundle, \"recordings\": [
  { \"name\": \"events.jsonl\", \"kind\": \"events\", \"contentType\": \"application/x-ndjson\", \"sizeBytes\": $(wc -c < events.jsonl) }] }")
request -X PUT "$(jq -r .slots.bundle.putUrl <<< "$reserved")" -H "content-type: text/javascript" --data-binary @index.js
request -X PUT "$(jq -r '.slots.recordings[0].putUrl' <<< "$reserved")" -H "content-type: application/x-ndjson" --data-binary @events.jsonl
preview=$(api $SLIPWAY_URL/api/v1/previews/finalize -d "$(jq '{ token }' <<< "$reserved")" | jq -r .shareId)
run=$(api $SLIPWAY_URL/api/v1/test-runs -d "{ \"owner\": \"acme\", \"repo\": \"app\", \"previewShareId\": \"$preview\", \"kind\": \"maestro\",
  \"name\": \"Pay\", \"status\": \"failed\", \"failureMessage\": \"The button was not found\" }")
jq -r .traceUrl <<< "$run"
api "$SLIPWAY_URL/api/v1/test-runs/$(jq -r .id <<< "$run")/shares" -d '{ "expiresInSeconds": 86400 }' | jq -r .url
