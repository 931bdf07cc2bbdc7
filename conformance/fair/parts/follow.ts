/** The text with each `{placeholder}` replaced by its value. */
export const fillText = (text: string, values: unknown): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(member(values, name)))

/**
 * Where something lies in an answer, from the outside in: the key of a member, the index of an item, or the item whose
 * members have these texts (`a.b` is the `b` of its `a`). `{placeholders}` in them are filled before.
 */
export type Path = ReadonlyArray<string | number | { readonly where: Readonly<Record<string, string>> }>

const member = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined

const nested = (value: unknown, keys: string): unknown => keys.split(".").reduce(member, value)

/** The value at that place in `answer`; `undefined` when there is none. */
export const follow = (answer: unknown, path: Path, values: unknown = {}): unknown =>
  path.reduce<unknown>((value, step) => {
    if (typeof step === "number") return member(value, step)
    if (typeof step === "string") return member(value, fillText(step, values))
    const wanted = Object.entries(step.where)
    const fits = (item: unknown) => wanted.every(([keys, text]) => nested(item, keys) === fillText(text, values))
    return Array.isArray(value) ? value.find(fits) : undefined
  }, answer)
