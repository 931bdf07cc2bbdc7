import { Logger } from "effect"

/** Logs go to stderr, because stdout is for the output of commands. */
export const layer = Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
