/** How this program is started, as messages and reports say it. The package `slipway-conformance` has another name in its place. */
export const commandName: string = "slipway conformance"
