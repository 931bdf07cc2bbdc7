import { assert, describe, it } from "@effect/vitest"
import { isNeeded, optionalIn, requiredIn, stubOf } from "./absent.ts"
const call = (value: unknown, name: string, ...values: ReadonlyArray<unknown>): unknown => {
  const method: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined
  assert.isFunction(method, name)
  return typeof method === "function" ? method.call(value, ...values) : undefined
}

/** A stub of a missing module for a bundle, and the names that were noted as missing. */
const stubIn = (bundle: string) => {
  const noted = new Set<string>()
  const stub = stubOf("Tide", {
    bundle,
    notes: { missing: (what, name) => void noted.add(`${what} ${name}`) }
  })
  return { stub, noted }
}

describe("a missing native module", () => {
  const linking = "new Proxy({},{get(){throw new Error(o)}})"

  it.for<readonly [string, string]>([
    ["is enforced", `e.default=t.TurboModuleRegistry.getEnforcing("Tide")`],
    ["is replaced by a proxy that throws", `var n=t.NativeModules.Tide?t.NativeModules.Tide:${linking}`],
    ["is replaced in the same way by a shorter text", `var n=t.NativeModules.Tide,s=n||${linking}`],
    ["emits events", "var n=new t.NativeEventEmitter(t.NativeModules.Tide)"],
    ["is read without a check", "t.NativeModules.Tide.rise()"],
    ["is kept and called", "var n=t.NativeModules.Tide;e.rise=()=>n.rise()"],
    ["is destructured and called", "const{Moon:s,Tide:n}=t.NativeModules;e.rise=()=>n.rise()"],
    ["is read from a variable that has all modules", "var s=r(d[0]).NativeModules;e.rise=t=>{s.Tide.rise(t)}"],
    ["is checked for one use only", "var n=t.NativeModules.Tide,o=n&&n.level;e.rise=()=>{n.rise()}"],
    [
      "is used before another variable of its name is checked",
      "var n=t.NativeModules.Tide;e.rise=()=>n.rise();e.of=n=>n?1:0"
    ],
    ["is compared with nothing, and the app throws", "if(null==t.NativeModules.Tide)throw new Error('link it')"],
    [
      "is requested, and the app throws",
      `function o(){var e=t.TurboModuleRegistry.get("Tide");if(null==e)throw new Error("link it")}`
    ],
    [
      "is exported, and emits events where it is imported",
      `__d(function(g,r,i,a,m,e,d){e.default=r(d[0]).TurboModuleRegistry.get("Tide")},7,[1]);
__d(function(g,r,i,a,m,e,d){var o=t(r(d[1])),u=new n.NativeEventEmitter(o.default)},8,[1,7]);`
    ],
    [
      "is exported from the list of modules, and used where it is imported",
      `__d(function(g,r,i,a,m,e,d){var t=r(d[0]).NativeModules.Tide;e.default=t},7,[1]);
__d(function(g,r,i,a,m,e,d){var h=t(r(d[1])).default;e.a=h.LEVEL},8,[1,7]);`
    ],
    ["is checked, and the app throws", "var n=t.NativeModules.Tide;if(!n)throw new Error('link it')"],
    [
      "is exported, and replaced by its importer",
      `__d(function(g,r,i,a,m,e,d){e.default=r(d[0]).TurboModuleRegistry.get("Tide")},7,[1]);
__d(function(g,r,i,a,m,e,d){var n=r(d[1]).default?r(d[1]).default:${linking}},8,[1,7]);`
    ],
    [
      "is exported, and its importer throws",
      `__d(function(g,r,i,a,m,e,d){e.default=r(d[0]).TurboModuleRegistry.get("Tide")},7,[1]);
__d(function(g,r,i,a,m,e,d){var n=r(d[0]).default;if(null==n)throw new Error('link it')},8,[7,1]);`
    ]
  ])("that %s is needed", ([, bundle]) => {
    assert.isTrue(isNeeded(bundle, "Tide"))
  })

  it.for<readonly [string, string]>([
    ["is not in the bundle", "t.NativeModules.Tides.rise()"],
    ["is asked for as an optional one", `e.default=t.TurboModuleRegistry.get("Tide")`],
    [
      "is looked for by a part that others use",
      `__d(function(g,r,i,a,m,e,d){e.isHigh=()=>null!=r(d[0]).TurboModuleRegistry.get("Tide")},7,[1]);
__d(function(g,r,i,a,m,e,d){var n=r(d[0]);n.isHigh()},8,[7,1]);`
    ],
    ["is checked in its place", "e.rise=()=>!!t.NativeModules.Tide"],
    ["is read after a check", "t.NativeModules.Tide&&t.NativeModules.Tide.rise()"],
    ["is read optionally", "t.NativeModules.Tide?.rise()"],
    [
      "is read optionally from a variable that has all modules",
      "var s=r(d[0]).NativeModules;e.rise=()=>s.Tide?.rise()"
    ],
    ["is checked for each use", "var n=t.NativeModules.Tide;e.rise=()=>n&&n.rise();e.fall=()=>n?n.fall():0"],
    ["is kept and checked", "var n=t.NativeModules.Tide;e.rise=()=>n?n.rise():0"],
    ["is destructured and checked", "const{Tide:n}=t.NativeModules;if(null==n)return"]
  ])("that %s is not needed", ([, bundle]) => {
    assert.isFalse(isNeeded(bundle, "Tide"))
  })

  it("answers as the app uses it: empty at once, and a rejection later", async () => {
    const { noted, stub } = stubIn(
      "n.getLevels()[0].unit;n.getName().split('.');n.rise().then(o);if(n.isHigh())return;n.Buoy"
    )
    const levels = call(stub, "getLevels")
    assert.deepStrictEqual(call(stub, "getConstants"), {})
    assert.isUndefined(Reflect.get(Object(Reflect.get(Object(levels), "0")), "unit"))
    assert.deepStrictEqual(call(call(stub, "getName"), "split", "."), [""])
    assert.strictEqual(`${call(stub, "getName")}`, "")
    assert.strictEqual(Number(call(stub, "getLevels")), 0)
    assert.deepStrictEqual(call(levels, "map", String), [])
    assert.isFalse(call(stub, "isHigh"))
    const error: unknown = await Promise.resolve(call(stub, "rise")).catch((thrown: unknown) => thrown)
    assert.strictEqual(String(error), "Error: Tide.rise is not available in replay.")
    assert.deepStrictEqual(
      [...noted],
      ["module Tide", "method Tide.getLevels", "method Tide.getName", "method Tide.isHigh", "method Tide.rise"]
    )
  })

  it("passes a failure to the last function that a method is called with", async () => {
    const { stub } = stubIn("n.rise(o,t,a)")
    const error = await new Promise((resolve) => {
      call(stub, "rise", {}, () => resolve("succeeded"), resolve)
    })
    assert.strictEqual(String(error), "Error: Tide.rise is not available in replay.")
  })

  it("fails when it is used, in each form of a call, and the use is recorded", async () => {
    const bundle = "n.lock(a);n.set(a)&&b;if(n.isOpen())c;n.read(o);n.load(o,t);x=n.list();n.stop()"
    for (const [method, failure] of [
      // The result of a name that asks nothing is a promise, also where another method of that name is a condition.
      ["set", "rejects"],
      ["list", "rejects"],
      ["stop", "rejects"],
      ["isOpen", "false"],
      ["read", "calls"],
      ["load", "calls"]
    ] as const) {
      const { noted, stub } = stubIn(bundle)
      const called: Array<string> = []
      const callback = (error: unknown) => called.push(String(error))
      const arguments_ = { read: [callback], load: [() => called.push("succeeded"), callback] }[String(method)] ?? []
      const result = call(stub, method, ...arguments_)
      const thrown: unknown = await Promise.resolve(result).catch((error: unknown) => error)
      const message = `Error: Tide.${method} is not available in replay.`
      const seen =
        result === false ? "false" : called.includes(message) ? "calls" : String(thrown) === message ? "rejects" : ""
      assert.strictEqual(seen, failure, method)
      assert.include([...noted], `method Tide.${method}`)
      assert.notInclude(called, "succeeded")
    }
  })

  it("has no constants, and no methods that the bundle never calls", () => {
    const { stub } = stubIn("n.isSandbox?1:2")
    assert.isUndefined(stub["isSandbox"])
  })
})

describe("modules that React Native works without", () => {
  it("are not those that the bundle requires", () => {
    const bundle = `o.default=t.getEnforcing('NativePerformanceCxx'),n=(0,t.getEnforcing)("AppState")`
    assert.deepStrictEqual([...requiredIn(bundle)], ["NativePerformanceCxx", "AppState"])
    assert.isTrue(optionalIn("").has("NativePerformanceCxx"))
    assert.isFalse(optionalIn(bundle).has("NativePerformanceCxx"))
  })
})
