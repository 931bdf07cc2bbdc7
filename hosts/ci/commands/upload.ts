import { command } from "../command/Command.ts"
import { dryRunOption, settingOptions } from "../settings/settings.ts"
import { bundleOptions } from "../upload/bundleOptions.ts"

const about = `PATH is a bundle, or a folder as a bundler leaves it:
  npx react-native bundle --platform ios --dev false --entry-file index.js \\
    --bundle-output out/main.jsbundle --assets-dest out
  npx expo export --platform ios --no-bytecode --output-dir out
  npx expo export --platform web --output-dir out     (with "experiments": { "baseUrl": "." } in app.json)

It says what a replay will make of the bundle before it sends it: Hermes bytecode can't replay, native modules
that the replay doesn't know will do nothing. Prints the URL on stdout, and everything else on stderr; anyone who
signs in with a key of the account can open it. What the account has on the host already is not sent again:
run it again after it was killed, and it sends the rest.

Of a folder all files go along but those whose name begins with a dot; of an index.html only its script does.`

const options = { ...bundleOptions, ...dryRunOption, ...settingOptions }

export const uploadBuild = command({
  name: "upload build",
  summary: "Uploads an app as the build of this commit",
  takes: "PATH",
  about: `${about}

A build belongs to a repository, branch, platform (--platform, always) and commit, and with --app to an app. Its
URL stays the same when it is uploaded again. The key needs the scope builds.`,
  options,
  run: async (input, context) => (await import("../upload/upload.ts")).uploadBuild(input, context)
})

export const uploadPreview = command({
  name: "upload preview",
  summary: "Uploads an app as a preview, which never changes",
  takes: "PATH",
  about: `${about}

Each upload is a preview of its own, at a URL of its own. The key needs the scope preview_upload.`,
  options,
  run: async (input, context) => (await import("../upload/upload.ts")).uploadPreview(input, context)
})
