import { Logger } from "effect"

/** Logs go to stderr: stdout is for what a command answers. */
export const layer = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
