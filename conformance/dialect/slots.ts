import type { Json } from "../session/Exchange.ts"
import type { BuildInput, Declared, PreviewInput, Slot } from "./Dialect.ts"
import { asText, isObject, eachMember } from "./search.ts"

/** An object in an answer that has a `putUrl`, with every text that may identify its object. */
interface Found {
  readonly putUrl: string
  readonly contentType: string | undefined
  readonly objectKey: string | undefined
  readonly hints: ReadonlyArray<string>
  readonly json: Readonly<Record<string, Json>>
}

interface Wanted extends Declared {
  /** The path of a file or the name of a recording. */
  readonly name: string | undefined
}

/** All objects that a reservation declares: bundle, files, recordings. */
const wantedOf = (input: BuildInput | PreviewInput): ReadonlyArray<Wanted> => [
  { ...input.bundle, name: undefined },
  ...input.files.map((file) => ({ ...file, name: file.path })),
  ...("recordings" in input ? input.recordings : [])
]

const slotsIn = (json: Json | undefined): ReadonlyArray<Found> =>
  [...eachMember(json)].flatMap(({ path, value }) => {
    if (!isObject(value)) return []
    const putUrl = asText(value.putUrl)
    if (putUrl === undefined) return []
    const texts = Object.values(value).filter((one) => typeof one === "string")
    return [
      {
        putUrl,
        contentType: asText(value.contentType),
        objectKey: asText(value.objectKey),
        hints: [...path, ...texts],
        json: value
      }
    ]
  })

/** Removes the parameters of a content type: `text/css; charset=utf-8` becomes `text/css`. */
const mediaType = (contentType: string | undefined) => contentType?.split(";")[0]?.trim().toLowerCase()

type Fits = (wanted: Wanted, found: Found) => boolean

const sameType: Fits = (wanted, found) => mediaType(wanted.contentType) === mediaType(found.contentType)
const sameName: Fits = ({ name = "bundle" }, { hints }) =>
  hints.some((hint) => hint === name || hint.endsWith(`/${name}`))

/** The unambiguous pairs: one slot and one object that match only each other. */
const pairs = (wanted: ReadonlyArray<Wanted>, found: ReadonlyArray<Found>, fits: Fits) =>
  wanted.flatMap((one) => {
    const fitting = found.filter((other) => fits(one, other))
    const [only] = fitting
    const others = wanted.filter((rival) => only !== undefined && fits(rival, only))
    return only !== undefined && fitting.length === 1 && others.length === 1 ? [[one, only] as const] : []
  })

/**
 * The slots of a reservation in the order bundle, files, recordings. They are matched by content type, which differs
 * for each object of a reservation, then by the name of the object beside `putUrl` or above it, then by their order.
 * `undefined` when an object has no slot.
 */
export const slotsOf = (json: Json | undefined, input: BuildInput | PreviewInput): ReadonlyArray<Slot | undefined> => {
  const all = wantedOf(input)
  const matched = new Map<Wanted, Found>()
  let found = slotsIn(json)
  const take = (taken: ReadonlyArray<readonly [Wanted, Found]>) => {
    for (const [one, other] of taken) matched.set(one, other)
    found = found.filter((one) => !taken.some(([, other]) => other === one))
  }
  const open = () => all.filter((one) => !matched.has(one))
  take(pairs(open(), found, sameType))
  take(pairs(open(), found, sameName))
  take(open().flatMap((one, index) => (found[index] === undefined ? [] : [[one, found[index]] as const])))
  return all.map((one) => {
    const slot = matched.get(one)
    return slot === undefined
      ? undefined
      : {
          putUrl: slot.putUrl,
          contentType: slot.contentType ?? one.contentType,
          objectKey: slot.objectKey,
          content: one.content,
          json: slot.json
        }
  })
}
