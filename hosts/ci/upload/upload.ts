import cliProgress from "cli-progress"
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { bytesText } from "../../../core/rules/amounts.ts"
import type { BuildUpload, Client, DeviceSpec, Progress, ReplayCheck, UploadOptions } from "../../client/index.ts"
import { type AppFile, examine, filesBeside, findBundle } from "../bundle/findBundle.ts"
import { openBundle, type Opening } from "../bundle/openBundle.ts"
import { type Context, ExitCode, oneOf, unusable } from "../command/Context.ts"
import type { bundleOptions, Input, Values, dryRunOption, settingOptions } from "../command/options.ts"
import {
  asking,
  ciDetailsOf,
  detectedLines,
  gitDetailsOf,
  required,
  type Settings,
  settingsOf
} from "../settings/settings.ts"

/** What either command of `upload` is given. */
type UploadInput = Input<typeof bundleOptions & typeof dryRunOption & typeof settingOptions>

const onePath = (positionals: ReadonlyArray<string>): string => {
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0)
    throw unusable("Name one file or folder: the bundle, or what the bundler left.")
  return path
}

/** Sends an app as it was prepared, and answers what the host has of it. */
type Send = (client: Client, options: UploadOptions) => Promise<{ readonly url: string }>

/** Uploads an app as a build or a preview, and prints its URL. With `--dry-run`, prints what would be uploaded. */
const upload = async (
  { positionals, values }: UploadInput,
  context: Context,
  settingsFor: (settings: Settings) => Settings,
  prepared: (contents: AppContents, settings: Settings) => Send
): Promise<ExitCode> => {
  const path = onePath(positionals)
  const isDryRun = values["dry-run"] === true
  const found = await settingsOf(values, context)
  if (isDryRun) for (const line of detectedLines(found)) context.err(line)
  const settings = isDryRun ? found : settingsFor(found)
  const { contents, isWithinBudgets } = await contentsAt(path, values, context, settings.url)
  if (isDryRun) context.err("Nothing was sent.")
  else {
    const all = { ...contents, ...ciDetailsOf(settings), ...withoutUndefined({ app: settings.app }) }
    const send = prepared(all, settings)
    const { end, onProgress } = watch(context)
    try {
      const sent = await asking(settings, (client) => send(client, { onProgress, signal: context.signal }))
      context.out(values.json === true ? JSON.stringify(sent) : sent.url)
    } finally {
      end()
    }
  }
  return isWithinBudgets ? ExitCode.done : ExitCode.failOn
}

const forBuild = (settings: Settings) => required(settings, "owner", "repo", "branch", "commit")

/** Uploads a build, and prints its URL. */
export const uploadBuild = (input: UploadInput, context: Context): Promise<ExitCode> =>
  upload(input, context, forBuild, ({ platform, ...contents }, settings) => {
    if (platform === undefined) throw unusable("--platform must be ios or android: the folder doesn't show it.")
    const { branch, commit: commitSha, owner, repo } = forBuild(settings)
    return ({ builds }, options) => builds.upload({ ...contents, owner, repo, branch, commitSha, platform }, options)
  })

/** Uploads a preview, and prints its URL. */
export const uploadPreview = (input: UploadInput, context: Context): Promise<ExitCode> =>
  upload(
    input,
    context,
    (settings) => settings,
    ({ platform, ...contents }, { owner, repo, ...provenance }) => {
      const all = { ...contents, ...withoutUndefined({ platform }), ...gitDetailsOf(provenance) }
      // With one of the two alone, nobody would know whose repository is meant.
      const of = owner === undefined || repo === undefined ? {} : { owner, repo }
      return ({ previews }, options) => previews.upload({ ...all, ...of }, options)
    }
  )

// The largest sizes of an app, by `--budget`.

const unitBytes: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, KiB: 1024, MiB: 1024 ** 2 }

/** The sizes of an app, in bytes. */
interface Sizes {
  readonly bundle: number
  /** The bundle, and all other files. */
  readonly total: number
}

interface Budget {
  readonly of: keyof Sizes
  readonly bytes: number
  readonly text: string
}

/** The budgets that the flag names. */
const budgetsIn = (texts: ReadonlyArray<string> = []): ReadonlyArray<Budget> =>
  texts.map((text) => {
    const [, of, count, unit = ""] = /^(bundle|total)=(\d+(?:\.\d+)?)(kB|MB|KiB|MiB)$/.exec(text) ?? []
    if (of === undefined)
      throw unusable(`--budget must be like bundle=2MB or total=900kB, and is ${JSON.stringify(text)}.`)
    return { of: of === "bundle" ? of : "total", bytes: Number(count) * (unitBytes[unit] ?? 1), text }
  })

/** A line for each budget that is exceeded. */
const exceeded = (budgets: ReadonlyArray<Budget>, sizes: Sizes): ReadonlyArray<string> =>
  budgets
    .filter(({ bytes, of }) => sizes[of] > bytes)
    .map(
      ({ of, text }) =>
        `${of === "bundle" ? "The bundle has" : "All files together have"} ${bytesText(sizes[of])}, more than --budget ${text}.`
    )

/** The contents of an upload. */
type AppContents = Pick<
  BuildUpload,
  "bundle" | "bundleOrigin" | "deviceSpec" | "entry" | "files" | "isTransformed" | "replayCheck"
> & {
  readonly platform?: BuildUpload["platform"] | undefined
}

/** What is sent, and the budgets that it exceeds. */
interface Found {
  readonly contents: AppContents
  readonly isWithinBudgets: boolean
}

const deviceIn = (text: string | undefined): DeviceSpec | undefined => {
  if (text === undefined) return undefined
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(text) ?? []
  if (width === undefined) throw unusable(`--device must be like 390x844, and is ${JSON.stringify(text)}.`)
  return { width: Number(width), height: Number(height) }
}

const sizeOf = async (files: ReadonlyArray<AppFile>): Promise<number> => {
  const sizes = await Promise.all(files.map(async ({ file }) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The most files of one upload where a host sets no other limit. */
const usualFiles = 1000

/** The screen of an app that names none, in points. */
const usualDevice = { width: 390, height: 844 }

/** The beginning of a message of the app, as the host stores texts. */
const storable = (message: string): string =>
  message
    .replaceAll(/[^\P{Cc}\t\r\n]/gu, "")
    .toWellFormed()
    .slice(0, 1000)
    .toWellFormed() || "It reported no message."

/** What is uploaded of what came up. */
const checkOf = (opening: Opening): ReplayCheck => {
  if ("unchecked" in opening) return { firstScreen: "not_checked", reason: storable(opening.unchecked) }
  const { error, isDrawn, missing } = opening.opened
  const names = (all: ReadonlyArray<string>) =>
    all.slice(0, 100).map((name) => storable(name).replaceAll(/\s+/g, " ").slice(0, 200).toWellFormed())
  const boxes = missing.flatMap((one) => (one.startsWith("component ") ? [one.slice("component ".length)] : []))
  return {
    firstScreen: isDrawn ? "drawn" : "not_drawn",
    ...(error === undefined ? {} : { reason: storable(error) }),
    ...(boxes.length === 0 ? {} : { boxes: names(boxes) }),
    ...(boxes.length === missing.length
      ? {}
      : { missing: names(missing.filter((one) => !one.startsWith("component "))) })
  }
}

/** Prints what came up, and returns whether a replay is known to have all of the first screen. */
const reportCheck = ({ boxes, firstScreen, missing, reason }: ReplayCheck, err: Context["err"]): boolean => {
  if (firstScreen === "not_checked") {
    err(`Not checked whether its first screen is drawn: ${reason}.`)
    return false
  }
  if (firstScreen === "not_drawn") {
    err(`It can't replay. It was opened in Chromium, and draws no first screen. ${reason ?? "It reported no error."}`)
    return false
  }
  err("It was opened in Chromium: its first screen is drawn.")
  if (reason !== undefined) err(`It reported an error: ${reason}`)
  if (boxes !== undefined) err(`It will replay in part. Boxes in place of: ${boxes.join(", ")}.`)
  if (missing !== undefined)
    err(`It asked for what a replay doesn't have, and is drawn without: ${missing.join(", ")}.`)
  if (missing?.some((name) => name.startsWith("font ")) === true)
    err("Upload the fonts that are linked into the app: --fonts ios/App/Fonts.")
  return boxes === undefined
}

/** Finds the app at a path, says what it is and what a replay will make of it, and answers what to send. */
const contentsAt = async (
  path: string,
  values: Values<typeof bundleOptions>,
  { cwd, env, err, signal }: Context,
  host: string | undefined
): Promise<Found> => {
  const deviceSpec = deviceIn(values.device)
  const budgets = budgetsIn(values.budget)
  const wanted = { platform: oneOf("--platform", values.platform, ["ios", "android"]), entry: values.entry }
  const bundled = await findBundle(resolve(cwd, path), wanted)
  const { isTransformed, lacks, obstacle } = await examine(bundled)
  // Browsers load the fonts that a bundle for them names.
  const fonts = isTransformed ? [] : values.fonts
  const beside = await filesBeside(path, bundled, { fonts, flows: values.flows }, cwd)
  const found = { ...bundled, files: [...bundled.files, ...beside] }
  const all = [found.bundle, ...found.files]
  const kind = isTransformed ? "for browsers" : "a phone's own"
  const files =
    found.files.length === 0 ? "" : ` with ${found.files.length} ${found.files.length === 1 ? "file" : "files"}`
  const what = obstacle === undefined ? `, ${kind}` : ""
  const sizes = { bundle: await sizeOf([found.bundle]), total: await sizeOf(all) }
  err(`${found.bundle.path}${what}${files}: ${bytesText(sizes.total)}`)
  if (found.files.length > usualFiles) {
    err(
      `It has ${found.files.length} files. A host accepts ${usualFiles} in one upload, unless its operator sets SLIPWAY_MAX_FILES to more.`
    )
  }
  for (const left of found.leftOut) err(`Left out: ${left}`)
  if (obstacle !== undefined) err(`It can't replay. ${obstacle}`)
  for (const lack of lacks) err(`It will replay in part. ${lack}`)
  const device = { ...usualDevice, ...deviceSpec }
  let replayCheck: ReplayCheck | undefined
  if (values["require-replay"] === true || values["check-replay"] === true) {
    replayCheck =
      obstacle === undefined
        ? checkOf(await openBundle(found, { isNative: !isTransformed, host, device, env, signal }))
        : { firstScreen: "not_drawn", reason: storable(obstacle) }
    const isWhole = obstacle === undefined && reportCheck(replayCheck, err)
    if (values["require-replay"] === true && (lacks.length > 0 || !isWhole)) {
      const hint = replayCheck.firstScreen === "not_checked" ? " --check-replay uploads it unchecked." : ""
      throw unusable(`Nothing was sent, because of --require-replay.${hint}`)
    }
  }
  const over = exceeded(budgets, sizes)
  for (const line of over) err(line)
  const contents = {
    bundle: { body: { path: found.bundle.file }, contentType: found.bundle.contentType },
    files: found.files.map(({ contentType, file, path }) => ({ path, contentType, body: { path: file } })),
    entry: found.bundle.path,
    isTransformed,
    platform: wanted.platform ?? found.platform,
    ...(deviceSpec === undefined ? {} : { deviceSpec }),
    ...(replayCheck === undefined ? {} : { replayCheck }),
    ...(values.origin === undefined ? {} : { bundleOrigin: values.origin })
  }
  return { contents, isWithinBudgets: over.length === 0 }
}

/** Receives the progress of an upload, and its end. */
interface Watch {
  readonly onProgress: (progress: Progress) => void
  readonly end: () => void
}

/** A bar on a terminal; in the log of a CI, which can't draw one, nothing. */
const watch = ({ terminal }: Context): Watch => {
  if (terminal === undefined) return { onProgress: () => {}, end: () => {} }
  const bar = new cliProgress.SingleBar(
    {
      format: "[{bar}] {percentage}%  {sent} of {whole}",
      stream: terminal,
      hideCursor: true,
      gracefulExit: false
    },
    cliProgress.Presets.legacy
  )
  return {
    onProgress: ({ sentBytes, totalBytes }) => {
      const texts = { sent: bytesText(sentBytes), whole: bytesText(totalBytes) }
      if (bar.isActive) bar.update(sentBytes, texts)
      else bar.start(totalBytes, sentBytes, texts)
    },
    end: () => bar.stop()
  }
}
