/** What a replayed app tells, and what is made of it. */
import { assert, describe, it } from "@effect/vitest"
import { makeAllowance } from "./allowance.ts"
import { describe as text } from "./describe.ts"
import { makeHealth, timeoutsMs } from "./watchedApp.ts"
import {
  type AppMessage,
  decodeAppMessage,
  decodeInspected,
  type Inspected,
  isQuestion,
  type Line,
  messageLimits as most,
  maxInspected,
  question
} from "./message.ts"
import { noLines, withDropped, withLine } from "./consoleList.ts"

const circular: Record<string, unknown> = { name: "x" }
circular["self"] = circular

class Boat {
  readonly length = 9
}

describe("values as a console writes them", () => {
  it.for([
    [["plain", 1, true, null, undefined], "plain 1 true null undefined"],
    [[], ""],
    [[{ a: "b", "c d": [1, "e"] }], '{a: "b", "c d": [1, "e"]}'],
    [[new Boat()], "Boat {length: 9}"],
    [[circular], '{name: "x", self: [circular]}'],
    [[{ a: { b: { c: { d: 1 } } } }], "{a: {b: {c: {…}}}}"],
    [[[[[[1]]]]], "[[[[…]]]]"],
    [[new Map([["k", 1]]), new Set(["v"])], 'Map (1) {k => 1} Set (1) {"v"}'],
    [[new Uint8Array([1, 2])], "Uint8Array [1, 2]"],
    [[10n, -0, Symbol("s"), () => 1], "10n -0 Symbol(s) ƒ ()"],
    [["%s is %d of %i, %o%%%c", "Ann", "4.5", 7.9, { a: 1 }, "color: red", "more"], "Ann is 4.5 of 7, {a: 1}% more"],
    [["%s and %s", "one"], "one and %s"],
    [["100%", "sure"], "100% sure"],
    [[Symbol("%s"), "x"], "Symbol(%s) x"],
    [
      [
        {
          get secret() {
            throw new Error("looked at")
          }
        }
      ],
      "{secret: Symbol(getter)}"
    ]
  ] as const)("%#: $1", ([values, line]) => {
    assert.strictEqual(text(values, 4000), line)
  })

  it("an error is its stack, which begins with what it says", () => {
    const line = text([new TypeError("no slip")], 4000)
    assert.match(line, /^TypeError: no slip\n\s+at /)
  })

  it("are never longer than the limit", () => {
    const cases: ReadonlyArray<unknown> = [
      "W".repeat(1_000_000),
      Array.from({ length: 10_000_000 }, () => "x"),
      { a: "b".repeat(500) }
    ]
    for (const value of cases) {
      const line = text([value], 100)
      assert.strictEqual(line.length, 100)
      assert.isTrue(line.endsWith("…"))
    }
  })

  it("never fails, whatever the value", () => {
    const hostile = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error("no")
        }
      }
    )
    assert.strictEqual(text(["x", hostile], 100), "x [what can't be read]")
  })
})

const line = (level: Line["level"], text: string, isThrown = false): AppMessage => ({
  kind: "line",
  level,
  text,
  isThrown
})
const pulse = (fields: Partial<Extract<AppMessage, { kind: "pulse" }>> = {}): AppMessage => ({
  kind: "pulse",
  hasStarted: true,
  isDrawn: true,
  dropped: 0,
  ...fields
})

describe("messages of an app", () => {
  it.for([
    line("warn", "x"),
    line("error", "y", true),
    { kind: "obstacle", text: "It is empty." } as const,
    { kind: "doing", text: "It is drawing." } as const,
    { kind: "crashed", text: "Error: broken" } as const,
    pulse({ dropped: 7 })
  ])("%j is what it is", (message) => {
    assert.deepStrictEqual(decodeAppMessage(structuredClone(message)), message)
  })

  it("excludes every other message", () => {
    const others: ReadonlyArray<unknown> = [
      undefined,
      null,
      "line",
      {},
      { kind: "line", level: "shout", text: "x", isThrown: false },
      { kind: "line", level: "constructor", text: "x", isThrown: false },
      { kind: "line", level: "log", text: { toString: 1 } },
      { kind: "constructor" },
      { kind: ["line"], level: "log", text: "x" },
      new Date(),
      new Map([["kind", "pulse"]]),
      [],
      { kind: "performed", id: 1, result: { status: "great" } },
      { kind: "performed", id: "1", result: { status: "passed" } },
      { kind: "performed", id: 1, result: "passed" },
      { kind: "recorded", version: 1, before: -1, commands: [] },
      { kind: "recorded", version: 1.5, before: 0, commands: [] },
      { kind: "recorded", version: 1, before: 0, commands: "tapOn" }
    ]
    for (const other of others) assert.isUndefined(decodeAppMessage(other), JSON.stringify(other))
  })

  it("of a flow has only commands that are recorded, with a few short fields", () => {
    const recorded = (...commands: ReadonlyArray<unknown>) => {
      const message = decodeAppMessage({ kind: "recorded", isRecording: true, version: 1, before: 0, commands })
      return message?.kind === "recorded" ? message.commands : undefined
    }
    const tap = { name: "tapOn", value: { id: "<b>", index: 1 } }
    assert.deepStrictEqual(recorded(tap, { name: "scroll", value: undefined }), [
      tap,
      { name: "scroll", value: undefined }
    ])
    for (const other of [
      null,
      "back",
      { name: "runScript", value: "x" },
      { name: "tapOn", value: { text: { deep: 1 } } },
      { name: "tapOn", value: { "a b": "x" } },
      { name: "tapOn", value: Object.fromEntries("abcdefg".split("").map((name) => [name, "x"])) },
      { name: "inputText", value: "W".repeat(5001) },
      { name: "inputText", value: ["x"] }
    ]) {
      assert.deepStrictEqual(recorded(other), [])
    }
    assert.lengthOf(recorded(...Array.from({ length: 1000 }, () => tap)) ?? [], 40)
    const long = decodeAppMessage({ kind: "performed", id: 1, result: { status: "failed", reason: "W".repeat(5000) } })
    assert.strictEqual(long?.kind === "performed" ? long.result.reason?.length : 0, 500)
  })

  it("is cut to a limit, and counts must be numbers", () => {
    const long = decodeAppMessage(line("log", "W".repeat(100_000)))
    assert.strictEqual(long?.kind === "line" ? long.text.length : 0, most.characters)
    const nothing = pulse({ hasStarted: false, isDrawn: false })
    for (const dropped of [Number.NaN, -1, "7", undefined]) {
      assert.deepStrictEqual(decodeAppMessage({ kind: "pulse", dropped, isDrawn: 1 }), nothing)
    }
  })

  it("follows a question, which is no other message", () => {
    assert.isTrue(isQuestion(structuredClone(question)))
    for (const other of [undefined, "pulse", { asks: "pulse" }, pulse()]) assert.isFalse(isQuestion(other))
  })
})

describe("the allowance of messages", () => {
  it("is limited per second: more messages are dropped, and too many are a flood", () => {
    const { next } = makeAllowance({ read: 2, flood: 4, milliseconds: 100 })
    assert.deepStrictEqual([0, 1, 2, 3, 4].map(next), ["read", "read", "skip", "skip", "flood"])
    assert.deepStrictEqual([1000, 1001, 1999, 2001].map(next), ["read", "read", "skip", "read"])
  })

  it("is less if reading is slow, and reading that is slow for five seconds in a row is a flood", () => {
    const { next, spent } = makeAllowance({ read: 10, flood: 20, milliseconds: 100 })
    const secondAt = (begin: number) => {
      const first = next(begin)
      spent(60)
      const second = next(begin + 10)
      spent(60)
      return [first, second, next(begin + 20)]
    }
    for (const at of [0, 1000, 2000, 3000]) assert.deepStrictEqual(secondAt(at), ["read", "read", "skip"])
    assert.strictEqual(next(4000), "read")
    for (const at of [5000, 6000, 7000, 8000, 9000]) assert.deepStrictEqual(secondAt(at), ["read", "read", "skip"])
    assert.strictEqual(next(10_000), "flood")
  })
})

describe("the lines of a console", () => {
  const log = (text: string): Line => ({ level: "log", text })

  it("are the last ones, with repetitions counted", () => {
    const lines = ["a", "b", "b", "b", "c", "d"].reduce((all, text) => withLine(all, log(text), 3), noLines)
    assert.deepStrictEqual(
      lines.kept.map(({ id, text, times }) => [id, text, times]),
      [
        [1, "b", 3],
        [2, "c", 1],
        [3, "d", 1]
      ]
    )
    assert.strictEqual(lines.dropped, 1)
    assert.strictEqual(withDropped(lines, 40).dropped, 41)
  })

  it("of another level are others; errors are counted", () => {
    const lines = withLine(
      withLine(withLine(noLines, log("a"), 9), { level: "error", text: "a" }, 9),
      { level: "error", text: "a" },
      9
    )
    assert.strictEqual(lines.kept.length, 2)
    assert.strictEqual(lines.errors, 2)
  })
})

describe("how an app is", () => {
  it("starts, and runs once it has drawn something", () => {
    const health = makeHealth(0)
    assert.strictEqual(health.look(0, true).state, "starting")
    health.onMessage(pulse({ hasStarted: false, isDrawn: false }), 500)
    assert.strictEqual(health.look(500, true).state, "starting")
    health.onMessage(pulse(), 1000)
    assert.strictEqual(health.look(1000, true).state, "running")
  })

  it("is silent when it answers no more, whatever else it says, and runs on when it does", () => {
    const health = makeHealth(0)
    health.onMessage(pulse(), 100)
    health.onMessage(line("log", "still here"), 4000)
    assert.strictEqual(health.look(99 + timeoutsMs.answer, true).state, "running")
    assert.strictEqual(health.look(100 + timeoutsMs.answer, true).state, "silent")
    health.onMessage(pulse(), 9000)
    assert.strictEqual(health.look(9000, true).state, "running")
  })

  it("is silent with what it is at, if it reported that, until it answers after that has ended", () => {
    const health = makeHealth(0)
    health.onMessage({ kind: "doing", text: "It is drawing." }, 50)
    health.onMessage(pulse(), 100)
    assert.deepStrictEqual(health.look(9000, true), { state: "silent", doing: "It is drawing." })
    health.onMessage({ kind: "doing", text: "" }, 9000)
    assert.deepStrictEqual(health.look(9000, true), { state: "silent", doing: "It is drawing." })
    health.onMessage(pulse(), 9100)
    assert.deepStrictEqual(health.look(20_000, true), { state: "silent", doing: "" })
  })

  it("is unknown if it never sent a message", () => {
    assert.strictEqual(makeHealth(0).look(timeoutsMs.answer, true).state, "unheard")
  })

  it("isn't judged while the page is hidden", () => {
    const health = makeHealth(0)
    health.onMessage(pulse(), 100)
    assert.strictEqual(health.look(60_000, false).state, "running")
    assert.strictEqual(health.look(60_000 + timeoutsMs.answer - 1, true).state, "running")
    assert.strictEqual(health.look(60_000 + timeoutsMs.answer, true).state, "silent")
  })

  it("failed when it threw and drew nothing; what it draws later counts", () => {
    const health = makeHealth(0)
    health.onMessage(line("error", "a warning"), 10)
    health.onMessage(line("error", "Uncaught Error: broken", true), 20)
    health.onMessage(pulse({ hasStarted: false, isDrawn: false }), 100)
    assert.strictEqual(health.look(100, true).state, "starting")
    health.onMessage(pulse({ isDrawn: false }), 200)
    assert.deepStrictEqual(health.look(200, true), { state: "failed", why: "Uncaught Error: broken", hasDrawn: false })
    health.onMessage(pulse(), 300)
    assert.strictEqual(health.look(300, true).state, "running")
    health.onMessage(pulse({ isDrawn: false }), 400)
    assert.deepStrictEqual(health.look(400, true), { state: "failed", why: "Uncaught Error: broken", hasDrawn: true })
  })

  it("explains errors about native modules", () => {
    for (const error of [
      "Uncaught Invariant Violation: TurboModuleRegistry.getEnforcing(...): 'PlatformConstants' could not be found.",
      "Uncaught Error: __fbBatchedBridgeConfig is not set, cannot invoke native modules",
      "Uncaught TypeError: Cannot read properties of undefined (reading 'nativeModuleProxy')"
    ]) {
      const health = makeHealth(0)
      health.onMessage(line("error", error, true), 10)
      health.onMessage(pulse({ isDrawn: false }), 20)
      const found = health.look(20, true)
      assert.isTrue("hint" in found && found.why === error && found.hint?.includes("Bundle the app for the web"))
    }
  })

  it("is blank when it has drawn nothing for a while, though nothing went wrong", () => {
    const health = makeHealth(0)
    health.onMessage(pulse({ isDrawn: false }), timeoutsMs.draw - 1)
    assert.strictEqual(health.look(timeoutsMs.draw - 1, true).state, "running")
    health.onMessage(pulse({ isDrawn: false }), timeoutsMs.draw)
    assert.deepStrictEqual(health.look(timeoutsMs.draw, true), { state: "blank", missing: undefined })
    for (const name of ["Radar", "Sonar"]) health.onMessage({ kind: "missing", what: "module", name }, timeoutsMs.draw)
    const missing = { what: "module", name: "Sonar" }
    assert.deepStrictEqual(health.look(timeoutsMs.draw, true), { state: "blank", missing })
  })

  it("has crashed after an error that ends a release build, though it draws; without a drawing it failed", () => {
    const health = makeHealth(0)
    health.onMessage(line("error", "Uncaught Error: broken", true), 10)
    health.onMessage({ kind: "crashed", text: "Error: broken" }, 10)
    health.onMessage(pulse(), 20)
    assert.deepStrictEqual(health.look(20, true), { state: "crashed", why: "Error: broken" })
    health.onMessage(pulse({ isDrawn: false }), 30)
    assert.strictEqual(health.look(30, true).state, "failed")
  })

  it("is the obstacle, if there is one", () => {
    const health = makeHealth(0)
    health.onMessage({ kind: "obstacle", text: "It is empty." }, 10)
    health.onMessage(pulse(), 20)
    assert.deepStrictEqual(health.look(90_000, true), { state: "obstacle", why: "It is empty." })
  })
})

// What of an app's answers about itself reaches the page.

const nothing: Inspected = {
  kind: "inspected",
  of: "children",
  id: 0,
  turn: 0,
  items: [],
  left: 0,
  sections: [],
  path: [],
  text: ""
}

describe("an answer of an app about itself", () => {
  it("has the values that the page knows, and nothing for others", () => {
    assert.deepStrictEqual(decodeInspected({ kind: "inspected", of: "children" }), nothing)
    assert.deepStrictEqual(
      decodeInspected({
        kind: "inspected",
        of: "children",
        id: -1,
        items: [{ id: 1, name: "View", detail: 2, hasChildren: "yes", more: 1 }, null],
        left: 1.5,
        sections: [{ title: {}, rows: [["name"], "row"] }],
        path: ["1", 2],
        text: []
      }),
      {
        ...nothing,
        items: [
          { id: 1, name: "View", detail: "", hasChildren: false },
          { id: 0, name: "", detail: "", hasChildren: false }
        ],
        sections: [
          {
            title: "",
            rows: [
              ["name", ""],
              ["", ""]
            ]
          }
        ],
        path: [0, 2]
      }
    )
    for (const value of [undefined, "inspected", { kind: "inspected", of: "constructor" }, { of: "details" }]) {
      assert.isUndefined(decodeInspected(value))
    }
  })

  it("is cut where it is longer than a page shows", () => {
    const long = "W".repeat(1_000_000)
    const found = decodeInspected({
      kind: "inspected",
      of: "stores",
      items: Array.from({ length: 1000 }, () => ({ name: long, detail: long })),
      sections: Array.from({ length: 100 }, () => ({
        title: long,
        rows: Array.from({ length: 500 }, () => [long, long])
      })),
      path: Array.from({ length: 5000 }, () => 1)
    })
    assert.strictEqual(found?.items.length, maxInspected.items)
    assert.strictEqual(found?.items[0]?.detail.length, maxInspected.name)
    assert.strictEqual(found?.path.length, maxInspected.path)
    assert.strictEqual(found?.sections.length, maxInspected.sections)
    const texts = found?.sections.flatMap(({ rows, title }) => [title, ...rows.flat()]) ?? []
    assert.strictEqual(texts.join("").length, maxInspected.sectionText)
  })

  it("isn't read by the app's own code", () => {
    const hostile = { kind: "inspected", of: "details" }
    Object.defineProperty(hostile, "sections", { get: () => assert.fail("it was read") })
    assert.deepStrictEqual(decodeInspected(hostile)?.sections, [])
  })
})
