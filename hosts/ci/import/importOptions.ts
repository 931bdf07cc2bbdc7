import type { Options } from "../command/Command.ts"
import { expectImportsOption, failOnOption } from "../history/failOn.ts"
import { dryRunOption, settingOptions } from "../settings/settings.ts"

/** The flags of all imports. */
export const importOptions = {
  ...dryRunOption,
  json: { type: "boolean", help: "print one JSON object: the runs, and what wasn't imported" },
  strict: { type: "boolean", help: "exit with 2 when anything of the input wasn't imported" },
  ...failOnOption,
  ...expectImportsOption,
  mask: {
    type: "string",
    multiple: true,
    value: "NAME",
    help: "hide the value of this variable, whatever its name; may be given again"
  },
  "no-mask": {
    type: "string",
    multiple: true,
    value: "NAME",
    help: "show the value of this variable, whatever its name, also where a test types it"
  },
  device: { type: "string", value: "NAME", help: "the device, if the results name none" },
  platform: { type: "string", value: "ios|android", help: "the platform, if the results name none" },
  ...settingOptions
} satisfies Options
