/** The names that components were written with. A release bundle lacks most, and its text or its source map has some. */
import { fieldsIn, textIn } from "../../../phone/runtime/decode.ts"

/** Minifiers give names of one or two characters. */
const isWritten = (name: string | undefined): name is string => name !== undefined && /^[A-Z][\w$.]{2,}$/.test(name)

/** How much of a function is enough to find it in the bundle. */
const shortest = 24

/** What a function is assigned to, in the text before it: `e.Home=` or `Home=(0,x.memo)(`. */
const assigned = /([\w$]+)=(?:\(0,[\w$.]+\)\(|[\w$.]+\()*$/

/** Finds names. `bundle` is the text of the app. */
export const makeComponentNames = (bundle: string) => {
  const known = new WeakMap<object, string>()

  const find = (type: object): string | undefined => {
    const { displayName, name, _context: context } = fieldsIn(Object.getOwnPropertyDescriptors(type))
    const own = [displayName, name].map((one) => textIn(fieldsIn(one)["value"])).find(isWritten)
    if (own !== undefined) return own
    const provided = textIn(fieldsIn(fieldsIn(context)["value"])["displayName"])
    if (isWritten(provided)) return `${provided}.Provider`
    if (typeof type !== "function") return undefined
    const text = Function.prototype.toString.call(type)
    const at = text.length < shortest ? -1 : bundle.indexOf(text)
    const before = at < 0 ? undefined : assigned.exec(bundle.slice(Math.max(0, at - 80), at))?.[1]
    return isWritten(before) ? before : undefined
  }

  return (type: unknown): string | undefined => {
    if ((typeof type !== "object" && typeof type !== "function") || type === null) return undefined
    const found = known.get(type) ?? find(type) ?? ""
    known.set(type, found)
    return found === "" ? undefined : found
  }
}
