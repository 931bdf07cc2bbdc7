import { assert, it } from "@effect/vitest"
import { filesOfFamily } from "./fonts.ts"

it.for<readonly [family: string, files: ReadonlyArray<string>]>([
  [
    "Poppins",
    ["Poppins-Regular.ttf 400 normal", "Poppins-BoldItalic.otf 700 italic", "Poppins-ExtraLight.ttf 200 normal"]
  ],
  ["Poppins-BoldItalic", ["Poppins-BoldItalic.otf 400 normal"]],
  ["Open Sans", ["OpenSans-VariableFont_wght.ttf 100 900 normal"]],
  ["Open", []],
  ["icons", ["Icons.ttf 400 normal"]]
])("the files of the family %s are found by their names", ([family, expected]) => {
  const paths = ["Poppins-Regular.ttf", "Poppins-BoldItalic.otf", "Poppins-ExtraLight.ttf", "PoppinsRounded.ttf"]
  const all = [...paths, "OpenSans-VariableFont_wght.ttf", "Icons.ttf"].map((name) => `fonts/${name}`)
  const found = filesOfFamily(family, all).map(({ path, style, weight }) => `${path.slice(6)} ${weight} ${style}`)
  assert.deepStrictEqual(found, [...expected])
})
