import type { Options } from "../command/Command.ts"

/** The flags that locate and describe a bundle. */
export const bundleOptions = {
  platform: {
    type: "string",
    value: "ios|android",
    help: "the platform, of a bundle for the web the one that it\nstands for; detected if expo export made only one"
  },
  entry: { type: "string", value: "FILE", help: "the bundle in a folder with several scripts" },
  device: { type: "string", value: "WIDTHxHEIGHT", help: "the screen that the app is shown on: 390x844" },
  origin: { type: "string", value: "URL", help: "where the bundle is served from, as far as it asks for files there" },
  "require-replay": {
    type: "boolean",
    help: "exit 2, and send nothing, if it can't replay or will\nreplay in part; its first screen is opened in Chromium,\nwhere the machine has it (CHROMIUM)"
  },
  "check-replay": {
    type: "boolean",
    help: "open its first screen in Chromium too, and upload it\nwhatever comes up: the page and the comment show it"
  },
  budget: {
    type: "string",
    multiple: true,
    value: "bundle=2MB",
    help: "exit 1 if the bundle, or all files together (total=5MB),\nare larger; they are uploaded all the same"
  },
  json: { type: "boolean", help: "print what the host answers, as JSON" }
} satisfies Options
