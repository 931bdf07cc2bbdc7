import packageJson from "slipway/package.json" with { type: "json" }

/** The version of this program. */
export const { version } = packageJson
