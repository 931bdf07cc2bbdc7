/**
 * The steps of a release that `.github/workflows/release.yml` shares with its test.
 * `notes v1.2.3` prints the section of CHANGELOG.md for the notes. `publish slipway-1.2.3.tgz` publishes the packages: the tarball, and
 * `slipway-ci` and `slipway-conformance` that were built with it. What follows goes to `npm publish`, such as `--dry-run`.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import manifest from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

/** The text of the section of a version, without its heading. */
export const notesOf = (changelog: string, version: string): string => {
  const section = changelog.split(/^## /m).find((one) => one.split(/\s/)[0] === version)
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}".`)
  return section.slice(section.indexOf("\n")).trim()
}

const notes = (tag: string): void => {
  if (tag !== `v${manifest.version}`)
    throw new Error(`The tag ${tag} is not the version ${manifest.version} of package.json.`)
  process.stdout.write(`${notesOf(readFileSync(join(root, "CHANGELOG.md"), "utf8"), manifest.version)}\n`)
}

const publish = (tarball: string, options: ReadonlyArray<string>): void => {
  const files = ["slipway-ci", "slipway-conformance"].map((name) => join(root, "dist", "programs", `${name}.tgz`))
  // The package that people install last: what fails before leaves it unpublished.
  for (const file of [...files, tarball])
    execFileSync("npm", ["publish", file, "--access", "public", ...options], { stdio: "inherit" })
}

if (import.meta.main) {
  const [step, subject = "", ...options] = process.argv.slice(2)
  if (step === "notes") notes(subject)
  else if (step === "publish") publish(subject, options)
  else throw new Error(`${step} is not a step: notes, publish`)
}
