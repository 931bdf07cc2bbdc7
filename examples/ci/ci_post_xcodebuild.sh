#!/bin/sh
# A script of Xcode Cloud, in the folder ci_scripts. It runs after the tests, failed or not.
brew install node xcresultparser
xcresultparser --output-format junit "$CI_RESULT_BUNDLE_PATH" > results.xml
# What a team adds, with SLIPWAY_URL and the secret SLIPWAY_KEY in the environment of the workflow.
npx --yes "$SLIPWAY_URL/cli/slipway-ci.tgz" import junit --kind detox results.xml || failed=$?
npx --yes "$SLIPWAY_URL/cli/slipway-ci.tgz" comment --format markdown || failed=$?
exit ${failed:-0}
