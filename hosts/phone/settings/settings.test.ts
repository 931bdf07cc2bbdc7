/** The settings of a device, as they cross the border of a frame. */
import { assert, describe, it } from "@effect/vitest"
import { decodeOrder, maxPushLength, readPush } from "./messages.ts"
import { decodeSettings, deviceOf, usualSettings, type Settings } from "./settings.ts"

const all: Settings = {
  device: "iphone-16",
  textSize: 1.353,
  locale: "ar-SA",
  isRtl: true,
  hasReducedMotion: true,
  network: "slow",
  permissions: "granted"
}

describe("settings from the other side of a frame", () => {
  it("are what they are", () => {
    assert.deepStrictEqual(decodeSettings(structuredClone(all)), all)
  })

  it.for([
    undefined,
    null,
    "iphone-16",
    [],
    { device: "constructor", textSize: "2", locale: "xx", isRtl: 1 },
    { device: "toString", textSize: 100, locale: "__proto__", network: "fast", permissions: true },
    { device: ["iphone-16"], textSize: Number.NaN, hasReducedMotion: {} }
  ])("%j is as usual", (value) => {
    assert.deepStrictEqual(decodeSettings(value), usualSettings)
  })
})

describe("orders of a page", () => {
  it("are settings, links and push notifications", () => {
    assert.deepStrictEqual(decodeOrder({ kind: "settings", settings: all }), { kind: "settings", settings: all })
    assert.deepStrictEqual(decodeOrder({ kind: "link", url: "app://berth/7" }), { kind: "link", url: "app://berth/7" })
    assert.deepStrictEqual(decodeOrder({ kind: "push", json: "{}" }), { kind: "push", json: "{}" })
  })

  it.for([
    undefined,
    null,
    "link",
    { kind: "settings" },
    { kind: "link", url: "no link" },
    { kind: "link", url: { toString: 1 } },
    { kind: "link", url: `app://${"x".repeat(2000)}` },
    { kind: "push", json: "{" },
    { kind: "push", json: {} },
    { kind: "constructor" }
  ])("%j is none", (value) => {
    assert.isUndefined(decodeOrder(value))
  })
})

describe("a push notification", () => {
  const read = { title: "Tide", body: "High at noon", data: { berth: 7 } }

  it.for([
    { aps: { alert: { title: "Tide", body: "High at noon" }, sound: "default" }, berth: 7 },
    { notification: { title: "Tide", body: "High at noon" }, data: { berth: 7 } },
    { title: "Tide", body: "High at noon", data: { berth: 7 } }
  ])("is read from %j", (payload) => {
    assert.deepStrictEqual(readPush(JSON.stringify(payload)), read)
  })

  it("can have a text only, or nothing to show", () => {
    assert.deepStrictEqual(readPush(`{ "aps": { "alert": "High" } }`), { title: undefined, body: "High", data: {} })
    const silent = readPush(`{ "aps": { "content-available": 1 }, "berth": 7 }`)
    assert.deepStrictEqual(silent, { title: undefined, body: undefined, data: { berth: 7 } })
  })

  it.for([
    ["{ aps }", /^The payload is not JSON: /],
    ["[7]", /^The payload is not a JSON object\.$/],
    [`{ "aps": "Tide" }`, /^“aps” is not a JSON object\.$/],
    [`{ "data": [] }`, /^“data” is not a JSON object\.$/],
    [JSON.stringify({ text: "x".repeat(maxPushLength) }), /^The payload has more than 4096 characters\.$/]
  ] as const)("is none in %s", ([json, why]) => {
    assert.match(String(readPush(json)), why)
  })
})

describe("the device of a declared size", () => {
  it.for([
    [390, 844, "iphone-14"],
    [844, 390, "iphone-14"],
    [402, 874, "iphone-17"],
    [412, 915, "iphone-17"],
    [411, 923, "pixel-9"],
    [414, 896, "iphone-17"],
    [360, 640, "iphone-se"],
    [768, 1024, undefined],
    [834, 1194, "ipad-air"],
    [1280, 720, undefined]
  ] as const)("%d × %d is %s", ([width, height, device]) => {
    assert.strictEqual(deviceOf({ width, height }, undefined), device)
  })

  it("is one of the platform", () => {
    assert.strictEqual(deviceOf({ width: 412, height: 915 }, "android"), "pixel-9")
    assert.isUndefined(deviceOf({ width: 411, height: 923 }, "ios"))
  })
})
