import { assert, describe, it } from "@effect/vitest"
import { paperEventsIn } from "../fabric/events.ts"
import { assetUrlsIn, digestsIn } from "./assets.ts"
import { ageOf, isForAndroid, phoneObstacle, versionIn, versionText } from "../../../core/rules/bundleFormat.ts"

describe("the properties in the text of a bundle", () => {
  it("have the version of React Native, if it is there", () => {
    const bundle = "o.major=0,o.minor=86,o.patch=3,o.prerelease=null"
    assert.deepStrictEqual(versionIn(bundle), { major: 0, minor: 86, patch: 3 })
    assert.strictEqual(versionText(bundle), "React Native 0.86.3")
  })

  it("is the first version with its React, where it names that alone", () => {
    const bundle = `{reconcilerVersion:"19.1.0"}`
    assert.deepStrictEqual(versionIn(bundle), { major: 0, minor: 80, patch: 0 })
    assert.strictEqual(versionText(bundle), "React Native, with React 19.1.0")
    assert.strictEqual(versionText("nothing"), "React Native")
  })

  it.for([
    ["new", "nativeFabricUIManager; g.RN$AppRegistry=r"],
    ["old", "nativeFabricUIManager; g.RN$Bridgeless"],
    ["none", "document.body"]
  ] as const)("is that it is %s", ([age, bundle]) => {
    assert.strictEqual(ageOf(bundle), age)
  })

  it("have the platform that it was made for", () => {
    assert.isTrue(isForAndroid(`var l={__constants:null,OS:'android',get Version(){}}`))
    assert.isFalse(isForAndroid(`var l={__constants:null,OS:'ios',get Version(){}}; x={OS:"android"}`))
  })

  it("have the navigation whose screens are native, if the app makes its first screen by it", () => {
    const library = "RN$AppRegistry;nativeFabricUIManager;this.commands=t.NativeModules.RNNBridgeModule"
    assert.match(
      phoneObstacle(`${library};n.Navigation.setRoot({root:{component:{name:"Quay"}}})`) ?? "",
      /react-native-navigation/
    )
    assert.isUndefined(phoneObstacle(library))
  })

  it("has the names of events that its codegen wrote", () => {
    const old = "directEventTypes:{topPaperInsetsChange:{registrationName:'onInsetsChange'}}"
    assert.deepStrictEqual([...paperEventsIn(old)], [["topInsetsChange", "topPaperInsetsChange"]])
    assert.strictEqual(paperEventsIn(`${old},{topInsetsChange:{}}`).size, 0)
  })

  it("is where its assets are, named by their paths or by their digests", () => {
    const bundle =
      `(0,r(d[0]).registerAsset)({__packager_asset:!0,httpServerLocation:"/assets/img",scales:[1,2],` +
      `hash:"x",name:"sail",type:"png",fileHashes:["aa","bb"]});registerAsset({httpServerLocation:"/assets",scales:[1],` +
      `name:"plain",type:"png"})`
    const digests = digestsIn(bundle, "ios")
    assert.deepStrictEqual(
      [...digests],
      [
        ["assets/img/sail.png", "aa"],
        ["assets/img/sail@2x.png", "bb"]
      ]
    )
    assert.strictEqual(digestsIn(bundle, "android").get("drawable-xhdpi/img_sail.png"), "bb")
    const places = assetUrlsIn(["./ios/", "./", "./"], digests)
    const sail = ["./ios/assets/bb", "./ios/assets/img/sail%402x.png", "./assets/bb", "./assets/img/sail%402x.png"]
    assert.deepStrictEqual(places("file:///app/assets/img/sail@2x.png"), sail)
    assert.deepStrictEqual(places("file:///app/assets/bb"), sail)
    assert.deepStrictEqual(places("file:///app/assets/a b.png"), ["./ios/assets/a%20b.png", "./assets/a%20b.png"])
    assert.deepStrictEqual(places("data:image/png;base64,"), ["data:image/png;base64,"])
  })
})
