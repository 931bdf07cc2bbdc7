/** Folders as real bundlers left them, each in a temporary folder that is deleted at the end of the test. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { onTestFinished } from "vitest"
import { fixtureFile, readFixture } from "../../phone/fixtures/readFixture.ts"

const fixture = (...path: ReadonlyArray<string>): string => join(import.meta.dirname, "fixtures", ...path)

/** A folder that is deleted at the end of the test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-ci-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes a file, and the folders above it. */
export const write = (folder: string, path: string, content: string | Uint8Array): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content)
}

/** `react-native bundle --bundle-output main.jsbundle --assets-dest .` */
export const reactNativeFolder = (): string => {
  const folder = temporaryFolder()
  const { bundle, files } = readFixture(fixtureFile("tour-0.86"))
  write(folder, "main.jsbundle", bundle)
  for (const { bytes, path } of files) write(folder, path, bytes)
  return folder
}

/** The bundle of an app of Expo's for a phone, by the path that `expo export` gives it. */
export const expoScript = "_expo/static/js/ios/index-c7296c57092085be2e27a710aba837fd.js"

/** `expo export --platform ios --no-bytecode`, in the folder `dist` of a project. */
export const expoFolder = (): string => {
  const project = temporaryFolder()
  const { bundle, files } = readFixture(fixtureFile("expo-57"))
  write(project, `dist/${expoScript}`, bundle)
  for (const { bytes, path } of files) write(project, path === "app.json" ? path : `dist/${path}`, bytes)
  cpSync(fixture("expo-ios", "metadata.json"), join(project, "dist", "metadata.json"))
  return join(project, "dist")
}

/** `expo export`, which makes Hermes bytecode, for two platforms. */
export const hermesFolder = (): string => {
  const folder = temporaryFolder()
  const metadata = readFileSync(fixture("expo-hermes", "metadata.json"), "utf8")
  write(folder, "metadata.json", metadata)
  for (const [path] of metadata.matchAll(/_expo[^"]+/g))
    write(folder, path, readFileSync(fixture("expo-hermes", "start.hbc")))
  write(folder, "assets/7c5f75a98873fec75d07813e5fe7dfa2", readFileSync(fixture("expo-web", image)))
  return folder
}

const image = "stamp.7c5f75a98873fec75d07813e5fe7dfa2.png"

/** The bundle of `expo export --platform web`. */
export const webScript = "_expo/static/js/web/index-1ae28c2397d4423a304476c525aa3216.js"

/** `expo export --platform web`, with relative paths by `baseUrl`, or from the root of a host. */
export const webFolder = (paths: "relative" | "from the root"): string => {
  const folder = temporaryFolder()
  const from = paths === "relative" ? "./" : "/"
  const script = String(gunzipSync(readFileSync(fixture("expo-web", "index-1ae28c2397d4423a304476c525aa3216.js.gz"))))
  write(folder, webScript, script.replace('"./assets/', `"${from}assets/`))
  write(
    folder,
    "index.html",
    readFileSync(fixture("expo-web", "index.html"), "utf8").replace('"./_expo', `"${from}_expo`)
  )
  write(folder, "metadata.json", readFileSync(fixture("expo-web", "metadata.json")))
  write(folder, `assets/web/${image}`, readFileSync(fixture("expo-web", image)))
  return folder
}
