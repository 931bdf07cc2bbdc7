import type { Preview } from "../model/Preview.ts"

/** The entry of a preview that an import makes for a run without an app. */
export const importedEntry = "imported-run.js"

/** Whether there is an app to open in a preview. */
export const hasApp = ({ declaration }: Preview): boolean => declaration.entry !== importedEntry
