/** Native modules that the phone lacks: which of them an app needs, and their stubs. */
import { functionIn } from "../runtime/decode.ts"
import type { Notes } from "../runtime/notes.ts"
import type { Module } from "./Host.ts"

/**
 * Whether a bundle fails without a native module: it enforces it, throws in its absence, or reads it without a check. A
 * module whose absence the bundle handles is not needed.
 */
export const isNeeded = (text: string, module: string): boolean => {
  const bundle = withoutAliases(text)
  if (!/^\w+$/.test(module) || !namesIn(bundle).has(module)) return false
  if (requiredIn(bundle).has(module)) return true
  const [reads, imports] = [readsOf(bundle, module), importsOf(bundle, module)]
  if ([...reads, ...imports].some(throwsWithout) || throwsAfterGet(bundle, module)) return true
  // What a part of the bundle stores and uses without a check, it needs, whatever others check.
  const isStored = (read: Read): boolean => read.variable !== undefined && uses(read) && !checks(read)
  if (reads.some(isStored)) return true
  return (reads.length > 0 && !reads.some(checks)) || (imports.some(uses) && !imports.some(checks))
}

/** The modules without which this bundle fails while it loads: it requests them by `getEnforcing`. */
export const requiredIn = (bundle: string): ReadonlySet<string> =>
  new Set(Array.from(bundle.matchAll(/getEnforcing\)?\((["'])(\w+)\1\)/g), ([, , name = ""]) => name))

let unaliased = { text: "", bundle: "" }

/** A bundle in which a variable that holds all modules, as in `const { NativeModules } = require(…)`, is written out. */
const withoutAliases = (text: string): string => {
  if (unaliased.text === text) return unaliased.bundle
  const parts = text.split("\n__d(").map((part) => {
    let written = part
    for (const [, variable = ""] of part.matchAll(/([\w$]+)=[\w$.()[\]]*\bNativeModules(?=[;,)}])/g)) {
      const use = new RegExp(`(?<![\\w$.])${variable.replaceAll("$", "\\$")}\\.(?=[A-Z]\\w)`, "g")
      written = written.replaceAll(use, "x.NativeModules.")
    }
    return written
  })
  unaliased = { text, bundle: parts.join("\n__d(") }
  return unaliased.bundle
}

let last = { bundle: "", names: new Set<string>() }

/**
 * The names of all modules that a bundle reads, found once: an app may ask for thousands of others, by names that it makes
 * while it runs.
 */
const namesIn = (bundle: string): ReadonlySet<string> => {
  if (last.bundle === bundle) return last.names
  const read = /\bNativeModules\.(\w+)|\.get(?:Enforcing)?\)?\((["'])(\w+)\2\)/g
  const destructured = /\{([^{};]{1,300})\}=[\w$.()[\]]*\bNativeModules\b/g
  const names = new Set<string>()
  for (const [, property, , requested] of bundle.matchAll(read)) names.add(property ?? requested ?? "")
  for (const [, list = ""] of bundle.matchAll(destructured)) for (const name of list.split(/[,:]/)) names.add(name)
  last = { bundle, names }
  return names
}

interface Read {
  readonly before: string
  readonly after: string
  /** The variable that holds it, escaped for a pattern. */
  readonly variable: string | undefined
}

/** The places of a text that read a module: as a property of `NativeModules`, or by destructuring it. */
const readsOf = (bundle: string, module: string): ReadonlyArray<Read> =>
  Array.from(bundle.matchAll(/\bNativeModules\b/g)).flatMap(({ 0: { length }, index }) => {
    const before = bundle.slice(Math.max(0, index - searchRange.before), index)
    const after = bundle.slice(index + length, index + length + searchRange.after)
    const property = `.${module}`
    const isProperty = after.startsWith(property) && !/^[\w$]/.test(after.slice(property.length))
    const destructured = new RegExp(`[{,]${module}(?::([\\w$]+))?(?:,[^{};]*)?\\}=[\\w$.()[\\]]*$`).exec(before)
    const [, variable] = (isProperty ? /([\w$]+)=[\w$.()[\]]*$/.exec(before) : destructured) ?? []
    if (!isProperty && (destructured === null || after.startsWith("."))) return []
    const name = variable ?? (isProperty ? undefined : module)
    return [
      { before, after: isProperty ? after.slice(property.length) : after, variable: name?.replaceAll("$", "\\$") }
    ]
  })

/** How far around a read of a module the text is searched: further than what checks it, and cheap. */
const searchRange = { before: 300, after: 3000 }

/**
 * The places that read a module which another part of the bundle requests by `get` and exports: Metro numbers its parts, and
 * lists the numbers of those that each imports.
 */
const importsOf = (bundle: string, module: string): ReadonlyArray<Read> => {
  const exported = new RegExp(
    `TurboModuleRegistry\\)?\\.get\\)?\\((["'])${module}\\1\\)|NativeModules\\.${module};[\\w$]+\\.default=`
  )
  const at = bundle.search(exported)
  // What is compared at once is not exported.
  const isCompared = /(?:[!=]==?|!)[\w$.()[\]]*$/.test(bundle.slice(Math.max(0, at - 20), at))
  const id = at < 0 || isCompared ? undefined : /\},(\d+),\[/.exec(bundle.slice(at, at + searchRange.after))?.[1]
  if (id === undefined) return []
  return bundle.split("\n__d(").flatMap((part) => {
    const listed = /,\d+,\[([\d,]*)\]\);?\s*$/.exec(part)?.[1]?.split(",") ?? []
    const index = listed.indexOf(id)
    if (index < 0) return []
    const imported = new RegExp(`(?:([\\w$]+)=)?[\\w$()]*\\(d\\[${index}\\]\\)+(?:\\.default)?`, "g")
    return Array.from(part.matchAll(imported), ({ 0: match, 1: variable, index: from }) => ({
      before: part.slice(Math.max(0, from - searchRange.before), from),
      after: part.slice(from + match.length, from + match.length + searchRange.after),
      variable: variable?.replaceAll("$", "\\$")
    }))
  })
}

/** Whether the part of a bundle that requests a module by `get` throws where that returns nothing. */
const throwsAfterGet = (bundle: string, module: string): boolean => {
  const at = bundle.search(new RegExp(`TurboModuleRegistry\\)?\\.get\\)?\\((["'])${module}\\1\\)`))
  const rest = at < 0 ? "" : bundle.slice(at, at + searchRange.before)
  return /^[^]*?(?:null===?[\w$]+|!\w+)\)\{?throw/.test(rest.split("\n__d(")[0] ?? "")
}

/** Whether the app throws without the module: at once, in a proxy for it, or because React Native does. */
const throwsWithout = ({ after, before, variable }: Read): boolean =>
  /^[^;]{0,80}new Proxy\(\{\},\{get(?::function)?\(\)\{throw/.test(after) ||
  /NativeEventEmitter\)?\([\w$.()[\]]*$/.test(before) ||
  (/(?:null===?|!)[\w$.()[\]]*$/.test(before) && /^\)\{?throw/.test(after)) ||
  (variable !== undefined &&
    new RegExp(
      `(?:!${variable}|null===?${variable})\\)\\{?throw|NativeEventEmitter\\)?\\(${variable}(?:\\.default)?\\)`
    ).test(after))

/** Where a text first uses a variable, and where it first checks it. */
const firstOf = (text: string, variable: string) => {
  const used = text.search(new RegExp(`(?<![\\w$.])${variable}(?:\\.default)?\\.\\w`))
  const checked = text.search(
    new RegExp(
      `(?:!|[=!]==?)${variable}(?![\\w$.(])|(?<![\\w$.])${variable}(?:\\?|&&|\\|\\||[=!]==?)|\\(${variable}\\)[{?]`
    )
  )
  return { used, checked }
}

/** Whether the app uses the module. */
const uses = ({ after, variable }: Read): boolean =>
  /^(?:\.default)?\.\w/.test(after) || (variable !== undefined && firstOf(after, variable).used >= 0)

/** Whether the app checks whether the module is there, before it uses it: minified names are those of many variables. */
const checks = ({ after, before, variable }: Read): boolean => {
  if (/^(?:\?|&&|\|\||[=!]==?|\)[{?])/.test(after) || /(?:!|[=!]==?)[\w$.()[\]]*$/.test(before)) return true
  if (variable === undefined) return false
  const isFirst = ({ checked, used }: ReturnType<typeof firstOf>): boolean =>
    checked >= 0 && (used < 0 || checked < used)
  if (!isFirst(firstOf(after, variable))) return false
  // A check of one use only doesn't guard the others.
  const guarded = new RegExp(`(?<![\\w$.])${variable}(?:&&|\\?)${variable}\\.[\\w.]+`, "g")
  const rest = firstOf((after.split("\n__d(")[0] ?? "").replaceAll(guarded, ""), variable)
  return rest.used < 0 || isFirst(rest)
}

/** The modules of React Native itself that this bundle works without. */
export const optionalIn = (bundle: string): ReadonlySet<string> => optional.difference(requiredIn(bundle))

/** Modules of React Native itself that some versions work without. */
const optional = new Set(
  [
    "NativePerformanceCxx NativePerformanceObserverCxx NativeIntersectionObserverCxx NativeMutationObserverCxx",
    "NativeViewTransitionCxx ReactDevToolsRuntimeSettingsModule ReactDevToolsSettingsManager DevLoadingView",
    "DeviceEventManager DialogManagerAndroid FrameRateLogger HeadlessJsTaskSupport IntentAndroid JSCHeapCapture LogBox",
    "PermissionsAndroid PushNotificationManager RedBox SoundManager Timing UIManager UIConstants AccessibilityInfo",
    "ToastAndroid RNEdgeToEdge NativeFantomCxx NativeJSCSamplingProfiler JSCSamplingProfiler JSDevSupport BugReporting AnimationsDebugModule",
    "NativeDevMenu DevMenu DebuggingOverlay DevToolsSettingsManager NativeReactDevToolsRuntimeSettings FabricUIManager"
  ]
    .join(" ")
    .split(" ")
)

/** A stub for a missing module that the app needs, so that an import never crashes it. */
export const stubOf = (name: string, host: StubContext): Module => {
  host.notes.missing("module", name)
  return partOf(name, {}, host)
}

/** The part of a module that is there. Other methods of it that the bundle calls fail as those of a missing module. */
export const partOf = <There extends object>(name: string, there: There, host: StubContext): There =>
  new Proxy(there, missingMembers(name, host))

interface StubContext {
  readonly bundle: string
  readonly notes: Pick<Notes, "missing">
}

/** What gives an object the methods that it lacks and the bundle calls. */
const missingMembers = <There extends object>(name: string, host: StubContext): ProxyHandler<There> => {
  const created = new Map<string, unknown>()
  const make = (key: string): unknown => {
    // What begins like a class is one: apps extend it while they are loaded.
    if (/^[A-Z][A-Za-z]*[a-z]/.test(key)) return stubClass(`${name}.${key}`, host)
    return isCalled(host.bundle, key) ? missingMethod(name, key, host) : undefined
  }
  return {
    get: (target, key) => {
      if (typeof key !== "string" || key in target) return Reflect.get(target, key)
      if (undefinedMembers.has(key)) return undefined
      if (key in commonMembers) return Reflect.get(commonMembers, key)
      if (!created.has(key)) created.set(key, make(key))
      return created.get(key)
    },
    has: () => true
  }
}

const undefinedMembers = new Set(["then", "toJSON", "$$typeof", "constructor", "prototype", "valueOf", "toString"])

/** What every module has and nobody misses. */
const commonMembers = {
  addListener: () => ({ remove: () => {} }),
  removeListeners: () => {},
  removeListener: () => {},
  removeAllListeners: () => {},
  getConstants: () => ({})
}

/** A stub for a class of a missing module: it can be made, extended, and asked for any method. */
const stubClass = (name: string, host: StubContext) => {
  class Stub {
    readonly standsFor = name
  }
  Object.setPrototypeOf(Stub.prototype, new Proxy({}, missingMembers(name, host)))
  return Stub
}

const missingMethod = (
  name: string,
  method: string,
  { bundle, notes }: StubContext
): ((...values: ReadonlyArray<unknown>) => unknown) => {
  const isBoolean = isCondition(bundle, method)
  return (...values: ReadonlyArray<unknown>) => {
    notes.missing("method", `${name}.${method}`)
    // Of two callbacks, the last is for failures; a single one receives the error first.
    const fail = functionIn(values.findLast((value) => typeof value === "function"))
    if (fail !== undefined) queueMicrotask(() => fail(unavailable(`${name}.${method}`)))
    return isBoolean ? false : emptyResult(`${name}.${method}`)
  }
}

/**
 * What a missing method answers. Only the app's use of it shows its type: as a promise it rejects, and as a text, a number
 * or a list it is empty.
 */
const emptyResult = (name: string): object => {
  type Then = (done?: (value: unknown) => unknown, failed?: (error: unknown) => unknown) => Promise<unknown>
  const fail: Then = (done, failed) => Promise.reject(unavailable(name)).then(done, failed)
  const members: Readonly<Record<string | symbol, unknown>> = {
    // oxlint-disable-next-line unicorn/no-thenable -- an app waits for it as for a promise
    then: fail,
    catch: (failed: (error: unknown) => unknown) => fail(undefined, failed),
    finally: (ended: () => void) => Promise.reject(unavailable(name)).finally(ended),
    remove: () => {},
    toJSON: () => null,
    [Symbol.iterator]: () => [].values(),
    [Symbol.toPrimitive]: (hint: string) => (hint === "number" ? 0 : "")
  }
  return new Proxy(
    {},
    {
      get: (_, key) =>
        key in members
          ? members[key]
          : typeof key === "symbol"
            ? undefined
            : /^\d+$/.test(key)
              ? {}
              : memberOfEmpty(key)
    }
  )
}

/** The methods of texts and lists, for what is neither and empty; those for HTML have names of properties. */
const memberOfEmpty = (key: string): unknown => {
  if (/^(?:anchor|big|blink|bold|constructor|fixed|fontcolor|fontsize|italics|link|small|strike|sub|sup)$/.test(key))
    return undefined
  for (const empty of ["", []]) {
    const method: unknown = Reflect.get(Object(empty), key)
    if (typeof method === "function") return method.bind(empty)
  }
  return key === "length" ? 0 : undefined
}

/** A failure that an app handles as it handles one of a phone. */
export const unavailable = (name: string): Error =>
  Object.assign(new Error(`${name} is not available in replay.`), { code: "E_UNAVAILABLE" })

/** Whether a bundle calls a method of this name; what it only reads is a constant. */
export const isCalled = (bundle: string, method: string): boolean =>
  /^\w+$/.test(method) && new RegExp(`\\.${method}(?:\\)?\\(|\\?\\.\\(|\\.(?:call|apply|bind)\\()`).test(bundle)

/**
 * Whether a bundle uses the result of a method as a condition at once, and the method asks by its name: on a phone it is a
 * boolean then, and no promise. Other names, such as `set`, are those of many methods.
 */
const isCondition = (bundle: string, method: string): boolean =>
  /^(?:is|has|can|are|should|supports|does|was|will)[A-Z]/.test(method) &&
  new RegExp(
    `\\.${method}\\)?\\([^()]*\\)(?:\\?(?!\\.)|&&)|(?:!|if\\()[\\w$.]+\\.${method}\\)?\\([^()]*\\)(?:[)?;,]|&&|\\|\\|)`
  ).test(bundle)
