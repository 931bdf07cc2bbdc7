/** The rows, without their head, of the Markdown table that stands in the comments of a source file. */
export const tableRows = (source: string): ReadonlyArray<ReadonlyArray<string>> =>
  source
    .split("\n")
    .filter((line) => line.startsWith(" * | ") && !line.includes("---"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim())
    )
    .slice(1)
