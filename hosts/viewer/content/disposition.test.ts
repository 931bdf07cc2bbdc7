import { assert, describe, it } from "@effect/vitest"
import { attachmentAs, inlineAs } from "./disposition.ts"

describe("the name under which an object is saved", () => {
  it.for([
    ["film.mp4", 'inline; filename="film.mp4"'],
    ["recordings/of today/film.mp4", 'inline; filename="film.mp4"'],
    ["film 🎬.mp4", `inline; filename="film _.mp4"; filename*=UTF-8''film%20%F0%9F%8E%AC.mp4`],
    ["50% (it's).txt", `inline; filename="50_ (it's).txt"; filename*=UTF-8''50%25%20%28it%27s%29.txt`],
    ["photo\u202egnp.exe", 'inline; filename="photo_gnp.exe"'],
    ['a"; filename="b.exe', 'inline; filename="a_; filename=_b.exe"'],
    ["a\r\nset-cookie: b", 'inline; filename="a_set-cookie_ b"'],
    ["..\\..\\boot.ini", 'inline; filename="_.._boot.ini"'],
    [" .profile. ", 'inline; filename="profile"'],
    ["...", 'inline; filename="file"'],
    ["", 'inline; filename="file"'],
    ["\ud800.txt", 'inline; filename="_.txt"'],
    [`${"W".repeat(1000)}.webm`, `inline; filename="${"W".repeat(145)}.webm"`]
  ] as const)("%j", ([name, header]) => {
    assert.strictEqual(inlineAs(name), header)
    assert.strictEqual(attachmentAs(name), header.replace("inline", "attachment"))
  })
})
