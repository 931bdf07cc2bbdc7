/** What the text of a bundle shows of native modules: types of their specs are erased, their uses aren't. */

/** The modules without which this bundle fails while it loads: it requests them by `getEnforcing`. */
export const requiredIn = (bundle: string): ReadonlySet<string> =>
  new Set(Array.from(bundle.matchAll(/getEnforcing\)?\((["'])(\w+)\1\)/g), ([, , name = ""]) => name))

let last = { bundle: "", names: new Set<string>() }

/**
 * The names of all modules that a bundle reads, found once: an app may ask for thousands of others, by names that it makes
 * while it runs.
 */
const namesIn = (bundle: string): ReadonlySet<string> => {
  if (last.bundle === bundle) return last.names
  const read = /\bNativeModules\.(\w+)|\.get(?:Enforcing)?\)?\((["'])(\w+)\2\)/g
  const taken = /\{([^{};]{1,300})\}=[\w$.()[\]]*\bNativeModules\b/g
  const names = new Set<string>()
  for (const [, property, , requested] of bundle.matchAll(read)) names.add(property ?? requested ?? "")
  for (const [, list = ""] of bundle.matchAll(taken)) for (const name of list.split(/[,:]/)) names.add(name)
  last = { bundle, names }
  return names
}

/** How far around a read of a module the text is searched: further than what checks it, and cheap. */
const around = { before: 300, after: 3000 }

interface Read {
  readonly before: string
  readonly after: string
  /** The variable that it is kept in, as in a pattern. */
  readonly kept: string | undefined
}

/** The places of a text that read a module: as a property of `NativeModules`, or by destructuring it. */
const readsOf = (bundle: string, module: string): ReadonlyArray<Read> =>
  Array.from(bundle.matchAll(/\bNativeModules\b/g)).flatMap(({ 0: { length }, index }) => {
    const before = bundle.slice(Math.max(0, index - around.before), index)
    const after = bundle.slice(index + length, index + length + around.after)
    const property = `.${module}`
    const isProperty = after.startsWith(property) && !/^[\w$]/.test(after.slice(property.length))
    const taken = new RegExp(`[{,]${module}(?::([\\w$]+))?(?:,[^{};]*)?\\}=[\\w$.()[\\]]*$`).exec(before)
    const [, kept] = (isProperty ? /([\w$]+)=[\w$.()[\]]*$/.exec(before) : taken) ?? []
    if (!isProperty && (taken === null || after.startsWith("."))) return []
    const name = kept ?? (isProperty ? undefined : module)
    return [{ before, after: isProperty ? after.slice(property.length) : after, kept: name?.replaceAll("$", "\\$") }]
  })

/**
 * The places that read a module which another part of the bundle requests by `get` and exports: Metro numbers its parts, and
 * lists the numbers of those that each imports.
 */
const importsOf = (bundle: string, module: string): ReadonlyArray<Read> => {
  const at = bundle.search(new RegExp(`TurboModuleRegistry\\)?\\.get\\)?\\((["'])${module}\\1\\)`))
  const id = at < 0 ? undefined : /\},(\d+),\[/.exec(bundle.slice(at, at + around.after))?.[1]
  if (id === undefined) return []
  return bundle.split("\n__d(").flatMap((part) => {
    const listed = /,\d+,\[([\d,]*)\]\);?\s*$/.exec(part)?.[1]?.split(",") ?? []
    const index = listed.indexOf(id)
    if (index < 0) return []
    const imported = new RegExp(`(?:([\\w$]+)=)?[\\w$()]*\\(d\\[${index}\\]\\)+(?:\\.default)?`, "g")
    return Array.from(part.matchAll(imported), ({ 0: found, 1: kept, index: from }) => ({
      before: part.slice(Math.max(0, from - around.before), from),
      after: part.slice(from + found.length, from + found.length + around.after),
      kept: kept?.replaceAll("$", "\\$")
    }))
  })
}

/** Whether the app throws without the module: at once, in a proxy for it, or because React Native does. */
const throwsWithout = ({ after, before, kept }: Read): boolean =>
  /^[^;]{0,80}new Proxy\(\{\},\{get(?::function)?\(\)\{throw/.test(after) ||
  /NativeEventEmitter\)?\([\w$.()[\]]*$/.test(before) ||
  (kept !== undefined && new RegExp(`(?:!${kept}|null===?${kept})\\)\\{?throw`).test(after))

/** Whether the app checks whether the module is there. */
const checks = ({ after, before, kept }: Read): boolean =>
  /^(?:\?|&&|\|\||[=!]==?|\)[{?])/.test(after) ||
  /(?:!|[=!]==?)[\w$.()[\]]*$/.test(before) ||
  (kept !== undefined &&
    new RegExp(`(?:!|[=!]==?)${kept}(?![\\w$.(])|(?<![\\w$.])${kept}(?:\\?|&&|\\|\\||[=!]==?)|\\(${kept}\\)[{?]`).test(
      after
    ))

/**
 * Whether a bundle fails without a native module: it enforces it, throws in its absence, or reads it without a check. A
 * module whose absence the bundle handles is not needed.
 */
export const isNeeded = (bundle: string, module: string): boolean => {
  if (!/^\w+$/.test(module) || !namesIn(bundle).has(module)) return false
  if (requiredIn(bundle).has(module)) return true
  const reads = readsOf(bundle, module)
  if ([...reads, ...importsOf(bundle, module)].some(throwsWithout)) return true
  return reads.length > 0 && !reads.some(checks)
}

/** Whether a bundle calls a method of this name; what it only reads is a constant. */
export const isCalled = (bundle: string, method: string): boolean =>
  /^\w+$/.test(method) && new RegExp(`\\.${method}(?:\\)?\\(|\\?\\.\\(|\\.(?:call|apply|bind)\\()`).test(bundle)

/** Whether a bundle uses the result of a method as a condition at once: on a phone it is a boolean then, and no promise. */
export const isCondition = (bundle: string, method: string): boolean =>
  new RegExp(
    `\\.${method}\\)?\\([^()]*\\)(?:\\?(?!\\.)|&&)|(?:!|if\\()[\\w$.]+\\.${method}\\)?\\([^()]*\\)(?:[)?;,]|&&|\\|\\|)`
  ).test(bundle)
