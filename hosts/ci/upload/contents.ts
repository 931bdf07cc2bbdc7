import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import type { BuildUpload, DeviceSpec } from "../../client/index.ts"
import { examine } from "../bundle/examine.ts"
import { openBundle, type Opening } from "../bundle/openBundle.ts"
import { findBundle, type AppFile } from "../bundle/findBundle.ts"
import type { Values } from "../command/Command.ts"
import type { Context } from "../command/Context.ts"
import { unusable } from "../command/Stopped.ts"
import { budgetsIn, exceeded } from "./budget.ts"
import type { bundleOptions } from "./bundleOptions.ts"
import { bytesText } from "../../../core/rules/amounts.ts"

/** The contents of an upload. */
export type AppContents = Pick<
  BuildUpload,
  "bundle" | "bundleOrigin" | "deviceSpec" | "entry" | "files" | "isTransformed"
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

const platformIn = (text: string | undefined): BuildUpload["platform"] | undefined => {
  if (text === undefined || text === "ios" || text === "android") return text
  throw unusable(`--platform must be ios or android, and is ${JSON.stringify(text)}.`)
}

const sizeOf = async (files: ReadonlyArray<AppFile>): Promise<number> => {
  const sizes = await Promise.all(files.map(async ({ file }) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** The screen of an app that names none, in points. */
const usualDevice = { width: 390, height: 844 }

/** Prints what came up; answers whether a replay has all of the first screen, as far as that is known. */
const reportOpening = (opening: Opening, err: Context["err"]): boolean => {
  if ("unchecked" in opening) {
    err(`Not checked whether its first screen is drawn: ${opening.unchecked}.`)
    return true
  }
  const { error, isDrawn, missing } = opening.opened
  if (!isDrawn) {
    err(`It can't replay. It was opened in Chromium, and draws no first screen. ${error ?? "It reported no error."}`)
    return false
  }
  err("It was opened in Chromium: its first screen is drawn.")
  if (error !== undefined) err(`It reported an error: ${error}`)
  const boxes = missing.filter((one) => one.startsWith("component "))
  const others = missing.filter((one) => !boxes.includes(one))
  if (boxes.length > 0) err(`It will replay in part. Boxes in place of: ${boxes.join(", ")}.`)
  if (others.length > 0) err(`It asked for what a replay doesn't have, and is drawn without: ${others.join(", ")}.`)
  return boxes.length === 0
}

/** Finds the app at a path, says what it is and what a replay will make of it, and answers what to send. */
export const contentsAt = async (
  path: string,
  values: Values<typeof bundleOptions>,
  { cwd, env, err, signal }: Context,
  host: string | undefined
): Promise<Found> => {
  const deviceSpec = deviceIn(values.device)
  const budgets = budgetsIn(values.budget)
  const wanted = { platform: platformIn(values.platform), entry: values.entry }
  const found = await findBundle(resolve(cwd, path), wanted)
  const { isTransformed, lacks, obstacle } = await examine(found)
  const all = [found.bundle, ...found.files]
  const kind = isTransformed ? "for browsers" : "a phone's own"
  const files =
    found.files.length === 0 ? "" : ` with ${found.files.length} ${found.files.length === 1 ? "file" : "files"}`
  const what = obstacle === undefined ? `, ${kind}` : ""
  const sizes = { bundle: await sizeOf([found.bundle]), total: await sizeOf(all) }
  err(`${found.bundle.path}${what}${files}: ${bytesText(sizes.total)}`)
  for (const left of found.leftOut) err(`Left out: ${left}`)
  if (obstacle !== undefined) err(`It can't replay. ${obstacle}`)
  for (const lack of lacks) err(`It will replay in part. ${lack}`)
  if (values["require-replay"] === true) {
    const isOpened =
      obstacle !== undefined ||
      reportOpening(
        await openBundle(found, {
          isNative: !isTransformed,
          host,
          device: { ...usualDevice, ...deviceSpec },
          env,
          signal
        }),
        err
      )
    if (obstacle !== undefined || lacks.length > 0 || !isOpened) {
      throw unusable("Nothing was sent, because of --require-replay.")
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
    ...(values.origin === undefined ? {} : { bundleOrigin: values.origin })
  }
  return { contents, isWithinBudgets: over.length === 0 }
}
