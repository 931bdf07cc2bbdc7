import { execFile, execFileSync } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"

/** Whether `xmllint` is installed. Debian has it in `libxml2-utils`. */
export const hasXmllint = ((): boolean => {
  try {
    execFileSync("xmllint", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** What xmllint finds wrong with XML, checked against a schema of this folder if one is named; empty when it is valid. */
export const xmllint = async (xml: string, schema?: string): Promise<string> => {
  const against = schema === undefined ? [] : ["--schema", join(import.meta.dirname, schema)]
  const running = promisify(execFile)("xmllint", ["--noout", "--nonet", ...against, "-"], { maxBuffer: 16 * 1024 ** 2 })
  running.child.stdin?.end(xml)
  return running.then(
    () => "",
    (failed: { readonly stderr: string }) => failed.stderr
  )
}
