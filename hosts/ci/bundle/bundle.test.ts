/** The bundles found in the output folders of real bundlers, and whether they replay. */
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { fixtureFile, readFixture } from "../../phone/fixtures/readFixture.ts"
import {
  expoFolder,
  expoScript,
  hermesFolder,
  reactNativeFolder,
  temporaryFolder,
  webFolder,
  webScript,
  write
} from "../testing/folders.ts"
import { examine, filesBeside, findBundle, modulesNotReplayed, type Wanted } from "./findBundle.ts"

const look = async (path: string, wanted: Wanted = {}) => {
  const found = await findBundle(path, wanted)
  const { isTransformed, lacks, obstacle } = await examine(found)
  return {
    bundle: found.bundle.path,
    type: found.bundle.contentType,
    files: found.files.map(({ contentType, path }) => `${path} ${contentType}`),
    platform: found.platform,
    leftOut: found.leftOut,
    isTransformed,
    lacks,
    obstacle
  }
}

const refusal = (path: string, wanted: Wanted = {}): Promise<string> =>
  findBundle(path, wanted).then(
    () => assert.fail("it was found"),
    (error: unknown) => (error instanceof Error ? error.message : assert.fail("it is no error"))
  )

const projectFolder = (): string => {
  const project = temporaryFolder()
  for (const [path, text] of Object.entries({
    "package.json": `{ "dependencies": { "react-native": "0.86.3" } }`,
    "react-native.config.js": "module.exports = { assets: ['./brand/type'] }",
    "brand/type/Brand-Bold.otf": "",
    "ios/App/Fonts/Inter.ttf": "",
    "ios/Pods/Other/Other.ttf": "",
    "android/app/src/main/assets/fonts/Inter.ttf": "",
    "assets/fonts/Serif.ttf": "",
    "extra/Extra.ttf": "",
    ".maestro/login.yaml": "- back",
    ".maestro/js/a.js": "",
    ".maestro/screen.png": "",
    "dist/main.jsbundle": "__d(function(){})"
  }))
    write(project, path, text)
  return project
}

describe("the files beside the bundle", () => {
  const besideIn = async (project: string, wanted: Parameters<typeof filesBeside>[2]) =>
    (await filesBeside("dist", await findBundle(join(project, "dist"), {}), wanted, project)).map(({ path }) => path)

  it("are the fonts that the project links, or those that are named, and the flows", async () => {
    const project = projectFolder()
    const beside = (wanted: Parameters<typeof filesBeside>[2]) => besideIn(project, wanted)
    assert.deepStrictEqual(await beside({}), ["fonts/Brand-Bold.otf", "fonts/Inter.ttf", "fonts/Serif.ttf"])
    assert.deepStrictEqual(await beside({ fonts: ["extra"], flows: ".maestro" }), [
      "fonts/Extra.ttf",
      ".maestro/js/a.js",
      ".maestro/login.yaml"
    ])
    assert.deepStrictEqual(await beside({ fonts: [] }), [])
  })

  it("are refused where a folder has none", async () => {
    const project = projectFolder()
    for (const [wanted, message] of [
      [{ fonts: ["none"] }, /^--fonts none is not a folder/],
      [{ fonts: [".maestro"] }, /^--fonts \.maestro has no \.ttf or \.otf file/],
      [{ flows: "extra" }, /^--flows extra has no \.yaml or \.js file/]
    ] as const) {
      const error: unknown = await besideIn(project, wanted).catch((thrown: unknown) => thrown)
      assert.match(error instanceof Error ? error.message : "", message)
    }
  })
})

describe("the bundle", () => {
  it("of react-native bundle is the script, and the assets keep their paths", async () => {
    const folder = reactNativeFolder()
    const { files, ...rest } = await look(folder)
    assert.deepStrictEqual(rest, {
      bundle: "main.jsbundle",
      type: "text/javascript",
      platform: undefined,
      leftOut: [],
      isTransformed: false,
      lacks: [],
      obstacle: undefined
    })
    const expected = readFixture(fixtureFile("tour-0.86")).files.map(
      ({ contentType, path }) => `${path} ${contentType}`
    )
    assert.isAbove(expected.length, 0)
    assert.deepStrictEqual(files, expected)
  })

  it("of expo export is what metadata.json names; assets have the types of their endings; app.json comes along", async () => {
    const { bundle, files, isTransformed, lacks, obstacle, platform } = await look(expoFolder())
    assert.deepStrictEqual(
      { bundle, platform, isTransformed, obstacle },
      { bundle: expoScript, platform: "ios", isTransformed: false, obstacle: undefined }
    )
    // expo-crypto requires its module of AES too, which the replay has not.
    assert.match(lacks.join(), /doesn't know, and whose methods fail there: ExpoCryptoAES\.$/)
    assert.includeMembers(files, [
      "assets/ca4b48e04dc1ce10bfbddb262c8b835f font/ttf",
      "assets/4995ed134286775dc4501218d7bffa97 image/png",
      "app.json application/json"
    ])
  })

  it("of expo export with Hermes can't replay, and the message has the fix", async () => {
    const folder = hermesFolder()
    assert.match(await refusal(folder), /ios and android.*--platform/)
    const { bundle, isTransformed, obstacle, type } = await look(folder, { platform: "ios" })
    assert.strictEqual(bundle, "_expo/static/js/ios/index-b1f3a393c406c2128b343e516ce0d9cd.hbc")
    assert.strictEqual(type, "application/octet-stream")
    assert.isFalse(isTransformed)
    assert.match(obstacle ?? "", /Hermes bytecode[\s\S]*--no-bytecode/)
  })

  it("of expo export for the web is the script of index.html", async () => {
    assert.deepStrictEqual(await look(webFolder("relative")), {
      bundle: webScript,
      type: "text/javascript",
      files: ["assets/web/stamp.7c5f75a98873fec75d07813e5fe7dfa2.png image/png"],
      platform: undefined,
      leftOut: [],
      isTransformed: true,
      lacks: [],
      obstacle: undefined
    })
  })

  it("for the web that asks for its files from the root of a host replays in part", async () => {
    const { isTransformed, lacks } = await look(webFolder("from the root"))
    assert.isTrue(isTransformed)
    assert.match(lacks.join(), /1 of its files by absolute paths.*\/assets\/web\/stamp\..*"baseUrl": "\."/)
  })

  it("in a file has no files", async () => {
    const { bundle, files } = await look(join(reactNativeFolder(), "main.jsbundle"))
    assert.deepStrictEqual({ bundle, files }, { bundle: "main.jsbundle", files: [] })
  })

  it("that needs native modules which the replay doesn't know replays in part", async () => {
    const folder = temporaryFolder()
    const needs = `nativeLoggingHook;nativeFabricUIManager;RN$AppRegistry;t.getEnforcing('RNCamera');(0,n.requireNativeModule)("ExpoSensors")`
    write(folder, "main.jsbundle", needs)
    const { lacks, obstacle } = await look(folder)
    assert.isUndefined(obstacle)
    assert.match(lacks.join(), /native modules that the replay doesn't know.*ExpoSensors, RNCamera/)
  })

  it.for([
    ["tour-0.88", []],
    ["packs-0.86", []],
    ["navigation-0.86", []],
    // It asks for a module of no library.
    ["natives-2026-11", ["Anchor"]],
    ["expoNatives-57-11", []]
  ] as const)("of %s, which replays, needs no other modules than are known", ([name, unknown]) => {
    const { bundle } = readFixture(fixtureFile(name))
    assert.deepStrictEqual(modulesNotReplayed(new TextDecoder().decode(bundle)), unknown)
  })

  it("made for Android replays too", async () => {
    const folder = temporaryFolder()
    const android = "nativeLoggingHook;nativeFabricUIManager;RN$AppRegistry;var l={__constants:null,OS:'android'}"
    write(folder, "index.android.bundle", android)
    assert.isUndefined((await look(folder)).obstacle)
  })

  it("is named by --entry where there are several scripts", async () => {
    const folder = temporaryFolder()
    write(folder, "a.js", "run()")
    write(folder, "b.js", "run()")
    assert.match(await refusal(folder), /several scripts.*--entry:\n {2}a\.js\n {2}b\.js/)
    const { bundle, files } = await look(folder, { entry: "./b.js" })
    assert.deepStrictEqual({ bundle, files }, { bundle: "b.js", files: ["a.js text/javascript"] })
    assert.match(await refusal(folder, { entry: "c.js" }), /--entry names c\.js, which isn't in/)
  })

  it.for([
    ["nothing", {}, /has no bundle[\s\S]*react-native bundle[\s\S]*expo export/],
    [
      "a page with two scripts",
      { "index.html": "<script src=a.js></script><script src='/b.js'></script>" },
      /several scripts/
    ],
    ["a page whose script isn't there", { "index.html": `<script src="./a.js">` }, /names a\.js, which isn't/],
    ["a broken metadata.json", { "metadata.json": "{" }, /metadata\.json is not the JSON/],
    [
      "a metadata.json that names an asset which isn't there",
      {
        "i.js": "",
        "metadata.json": `{"fileMetadata":{"ios":{"bundle":"i.js","assets":[{"path":"assets/x","ext":"png"}]}}}`
      },
      /metadata\.json names assets\/x/
    ]
  ] as const)("isn't found in a folder with %s", async ([, files, why]) => {
    const folder = temporaryFolder()
    for (const [path, text] of Object.entries(files)) write(folder, path, text)
    assert.match(await refusal(folder), why)
  })

  it("isn't found where nothing is", async () => {
    assert.match(await refusal(join(temporaryFolder(), "gone")), /There is no /)
  })

  it("skips links out of the folder, and reports them; a link within it counts", async () => {
    const folder = temporaryFolder()
    const outside = temporaryFolder()
    write(outside, "secret.txt", "secret")
    write(folder, "main.js", "run()")
    write(folder, "assets/a.txt", "a")
    write(folder, ".env", "KEY=1")
    symlinkSync(join(outside, "secret.txt"), join(folder, "out.txt"))
    symlinkSync(join(folder, "gone"), join(folder, "dead.txt"))
    symlinkSync(folder, join(folder, "assets", "round"))
    symlinkSync(join(folder, "assets", "a.txt"), join(folder, "b.txt"))
    const { files, leftOut } = await look(folder)
    assert.deepStrictEqual(files, ["assets/a.txt text/plain", "b.txt text/plain"])
    assert.sameMembers(
      [...leftOut],
      [
        "out.txt: it is a link out of the folder",
        "dead.txt: it is a link to nothing",
        "assets/round: it is a link to a folder that it is in"
      ]
    )
  })
})
