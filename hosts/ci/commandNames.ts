/** The first words of the commands, by which `slipway` knows which are those of `slipway-ci` without loading them. */
export const commandNames = ["upload", "import", "comment", "tests"] as const
