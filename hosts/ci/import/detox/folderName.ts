/** The names that Detox gives to the folder of a test and to the files in it. */
import sanitize from "sanitize-filename"

const most = 255

const named = (prefix: string, name: string, suffix: string): string => {
  const kept = name.slice(-most + prefix.length + suffix.length)
  return sanitize(`${prefix}${kept}${suffix}`, { replacement: "_" }).replaceAll("$", "_")
}

/**
 * The folder of an attempt: its sign, the end of the test's name and, from the second attempt on, its number. What is too
 * long is cut to 255 characters at the beginning and then to 255 bytes at the end, where the number may get lost.
 */
export const folderName = (fullName: string, status: string, invocation: number): string => {
  const sign = status === "passed" ? "✓ " : status === "failed" ? "✗ " : ""
  return named(sign, fullName, invocation > 1 ? ` (${invocation})` : "")
}

/** A screenshot that a test named. */
export const screenshotName = (name: string): string => named("", `${name}.png`, "")
