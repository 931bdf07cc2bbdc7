import { readFile } from "node:fs/promises"
import { basename, dirname, join, normalize, relative, resolve } from "node:path"
import type { Platform } from "../../client/index.ts"
import { unusable } from "../command/Stopped.ts"
import { specialKind, statOf, walk } from "../command/walk.ts"
import { contentTypeOf } from "./contentType.ts"

/** A file of an app, on this machine and beside the bundle. */
export interface AppFile {
  /** Where it is beside the bundle: a relative path with `/`. */
  readonly path: string
  /** Where it is on this machine. */
  readonly file: string
  readonly contentType: string
}

/** An app in a bundler's output. */
export interface FoundBundle {
  readonly bundle: AppFile
  readonly files: ReadonlyArray<AppFile>
  /** The platform that the bundler names; a folder of `react-native bundle` and one for the web name none. */
  readonly platform?: Platform
  /** What was left out, with the reasons. */
  readonly leftOut: ReadonlyArray<string>
}

/** What the user specifies about the bundle. */
export interface Wanted {
  readonly platform?: Platform | undefined
  /** The bundle's path in its folder, if it can't be detected. */
  readonly entry?: string | undefined
}

const platforms = ["ios", "android"] as const

/** What `expo export` writes down of one platform. */
interface Exported {
  readonly platform: Platform
  readonly bundle: string
  /** The endings of the assets, by their paths. */
  readonly endings: ReadonlyMap<string, string>
}

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined

/** What `metadata.json` says; an export for the web names no platform. */
const exportedIn = (text: string): ReadonlyArray<Exported> => {
  let metadata: unknown
  try {
    metadata = JSON.parse(text)
  } catch (error) {
    throw unusable(`metadata.json is not the JSON that expo export writes: ${String(error)}`)
  }
  return platforms.flatMap((platform): ReadonlyArray<Exported> => {
    const exported = field(field(metadata, "fileMetadata"), platform)
    const [bundle, assets] = [field(exported, "bundle"), field(exported, "assets")]
    if (typeof bundle !== "string") return []
    const endings = (Array.isArray(assets) ? assets : []).flatMap((asset: unknown) => {
      const [path, ending] = [field(asset, "path"), field(asset, "ext")]
      return typeof path === "string" && typeof ending === "string" ? [[slashed(path), ending] as const] : []
    })
    return [{ platform, bundle: slashed(bundle), endings: new Map(endings) }]
  })
}

/** A path as it is on every machine. */
const slashed = (path: string): string => path.replaceAll("\\", "/")

/** The scripts of a page, as paths beside it: those of other hosts are none of the app's. */
const scriptsOf = (html: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(/<script\b[^>]*?\bsrc\s*=\s*["']?([^"'\s>]+)/gi), ([, src = ""]) => src)
    .filter((src) => !/^(?:[a-z]+:|\/\/)/i.test(src))
    .map((src) => normalize(decodeURI(src.replace(/[?#].*/, ""))).replace(/^[./]+/, ""))

/** What may be the bundle in a folder of `react-native bundle`. */
const isBundleName = (path: string): boolean => !path.includes("/") && /\.(?:jsbundle|bundle|hbc|js)$/.test(path)

const list = (paths: ReadonlyArray<string>): string => paths.map((path) => `\n  ${path}`).join("")

/** The one of several that may be the bundle. */
const only = (found: ReadonlyArray<string>, where: string): string => {
  const [first, ...more] = found
  if (first === undefined) {
    throw unusable(`${where} has no bundle. Name the file with --entry, or make one:
  npx react-native bundle --platform ios --dev false --entry-file index.js --bundle-output out/main.jsbundle --assets-dest out
  npx expo export --platform ios --no-bytecode`)
  }
  if (more.length > 0) throw unusable(`${where} has several scripts. Name the bundle with --entry:${list(found)}`)
  return first
}

/**
 * The files below a folder, by relative paths with `/`, in order; and what is left out, with the reason. What is named
 * with a dot first is no part of an app. A link counts as what it leads to.
 */
const filesBelow = (
  folder: string
): { readonly paths: ReadonlyArray<string>; readonly leftOut: ReadonlyArray<string> } => {
  const paths: Array<string> = []
  const leftOut: Array<string> = []
  const within = (path: string) => slashed(relative(folder, path))
  const found = walk(folder, {
    skips: (_folder, name) => name.startsWith("."),
    followsFolders: true,
    leftOut: (path, reason) => void leftOut.push(`${within(path)}: ${reason}`)
  })
  for (const { names, path } of found) if (names === undefined) paths.push(within(path))
  return { paths: paths.toSorted(), leftOut }
}

const inFolder = async (folder: string, { entry, platform }: Wanted): Promise<FoundBundle> => {
  const { leftOut, paths } = filesBelow(folder)
  const text = (path: string) => (paths.includes(path) ? readFile(join(folder, path), "utf8") : undefined)
  const metadata = await text("metadata.json")
  const exported = metadata === undefined ? [] : exportedIn(metadata)
  const fileOf = (path: string, ending?: string): AppFile => ({
    path,
    file: join(folder, path),
    contentType: contentTypeOf(path, ending)
  })
  const isThere = (path: string, named: string): string => {
    if (paths.includes(path)) return path
    throw unusable(`${named} names ${path}, which isn't in ${folder}.`)
  }

  if (exported.length > 0 && entry === undefined) {
    const ofPlatform = exported.filter((one) => platform === undefined || one.platform === platform)
    const [first, ...more] = ofPlatform
    if (first === undefined) throw unusable(`The export in ${folder} has no bundle for ${platform}.`)
    if (more.length > 0) throw unusable("The export has bundles for ios and android: choose one by --platform.")
    const assets = Array.from(first.endings, ([path, ending]) => fileOf(isThere(path, "metadata.json"), ending))
    // No export carries what `Constants.expoConfig` is read from; it lies in the project, where `expo export` ran.
    const appJson = join(dirname(resolve(folder)), "app.json")
    const config =
      statOf(appJson)?.isFile() === true ? [{ path: "app.json", file: appJson, contentType: "application/json" }] : []
    const bundle = fileOf(isThere(first.bundle, "metadata.json"))
    return { bundle, files: [...assets, ...config], platform: first.platform, leftOut }
  }

  const html = await text("index.html")
  const scripts = html === undefined ? paths.filter(isBundleName) : scriptsOf(html)
  const where = html === undefined ? folder : join(folder, "index.html")
  const script = entry === undefined ? only(scripts, where) : slashed(normalize(entry))
  const bundle = fileOf(isThere(script, entry === undefined ? where : "--entry"))
  // The replay has a page of its own.
  const others = paths.filter((path) => path !== script && path !== "index.html" && path !== "metadata.json")
  return { bundle, files: others.map((path) => fileOf(path)), leftOut }
}

/**
 * Finds the bundle and its files: a file is a bundle without any; in a folder of `expo export` they are what
 * `metadata.json` names, in one for the web the bundle is the one script of `index.html`, and in one of `react-native bundle`
 * the one script in it.
 */
export const findBundle = async (path: string, wanted: Wanted): Promise<FoundBundle> => {
  const found = statOf(path)
  if (found === undefined) throw unusable(`There is no ${path}.`)
  if (found.isDirectory()) return inFolder(path, wanted)
  const special = specialKind(found)
  if (special !== undefined) throw unusable(`${path} is ${special}, and no file.`)
  return { bundle: { path: basename(path), file: path, contentType: contentTypeOf(path) }, files: [], leftOut: [] }
}
