/** The largest sizes of an app, by `--budget`. */
import { bytesText } from "../../../core/rules/amounts.ts"
import { unusable } from "../command/Stopped.ts"

const unitBytes: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, KiB: 1024, MiB: 1024 ** 2 }

/** The sizes of an app, in bytes. */
export interface Sizes {
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
export const budgetsIn = (texts: ReadonlyArray<string> = []): ReadonlyArray<Budget> =>
  texts.map((text) => {
    const [, of, count, unit = ""] = /^(bundle|total)=(\d+(?:\.\d+)?)(kB|MB|KiB|MiB)$/.exec(text) ?? []
    if (of === undefined)
      throw unusable(`--budget must be like bundle=2MB or total=900kB, and is ${JSON.stringify(text)}.`)
    return { of: of === "bundle" ? of : "total", bytes: Number(count) * (unitBytes[unit] ?? 1), text }
  })

/** A line for each budget that is exceeded. */
export const exceeded = (budgets: ReadonlyArray<Budget>, sizes: Sizes): ReadonlyArray<string> =>
  budgets
    .filter(({ bytes, of }) => sizes[of] > bytes)
    .map(
      ({ of, text }) =>
        `${of === "bundle" ? "The bundle has" : "All files together have"} ${bytesText(sizes[of])}, more than --budget ${text}.`
    )
