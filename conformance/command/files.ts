import { Effect, FileSystem, Option, Path } from "effect"
import { Refused } from "../config/Refused.ts"

/** The text of a file that was named. */
export const readText = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    files.readFileString(file),
    () => new Refused({ message: `The file ${file} can't be read` })
  )
})

/** A file that a report is written to, and what is written. */
export interface Output<From> {
  readonly file: Option.Option<string>
  readonly text: (from: From) => string
}

const refused = (file: string) => () => new Refused({ message: `The file ${file} can't be written` })

/** Makes sure, before anything else, that the folders of these files are there. */
export const makeFolders = Effect.fnUntraced(function* (outputs: ReadonlyArray<Output<never>>) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const { file } of outputs) {
    if (Option.isNone(file)) continue
    const folder = path.dirname(path.resolve(file.value))
    yield* Effect.mapError(files.makeDirectory(folder, { recursive: true }), refused(file.value))
  }
})

/** Writes those that were named. */
export const write = Effect.fnUntraced(function* <From>(outputs: ReadonlyArray<Output<From>>, from: From) {
  const files = yield* FileSystem.FileSystem
  for (const { file, text } of outputs) {
    if (Option.isSome(file)) yield* Effect.mapError(files.writeFileString(file.value, text(from)), refused(file.value))
  }
})
