/** How Jest and Detox call a test that didn't run. */
const notRun: Readonly<Record<string, string>> = {
  pending: "skipped",
  skipped: "skipped",
  skip: "skipped",
  todo: "todo",
  disabled: "disabled"
}

/** How it is called that a test didn't run; `undefined` of one that did. */
export const notRunAs = (status: string): string | undefined => notRun[status]

/** Whether a status says how a test that ran ended. All others count as failed: it may have. */
export const isEnd = (status: string): boolean => status === "passed" || status === "failed"
