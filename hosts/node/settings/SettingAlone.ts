import { Data } from "effect"

/** A setting that has no effect without another one, both by their environment names. */
export class SettingAlone extends Data.TaggedError("SettingAlone")<{ readonly env: string; readonly needs: string }> {}
