import { assert, describe, it } from "@effect/vitest"
import { shownType } from "./contentType.ts"

describe("the type as which an object is shown", () => {
  it.for([
    ["video/webm", "film.mp4", "video/webm"],
    ["application/octet-stream", "film.MP4", "video/mp4"],
    ["application/octet-stream", "a.b/photo.jpg", "image/jpeg"],
    ["binary/octet-stream", "shot.png", "image/png"],
    ["Application/Octet-Stream; charset=x", "shot.gif", "image/gif"],
    ["application/octet-stream", "page.html", "application/octet-stream"],
    ["application/octet-stream", "png", "image/png"],
    ["application/octet-stream", "x.constructor", "application/octet-stream"],
    ["application/octet-streams", "x.png", "application/octet-streams"],
    ["application/octet-stream", "", "application/octet-stream"],
    ["multipart/x-mixed-replace; boundary=x", "shot.png", "application/octet-stream"],
    ["Multipart/Related", "page.mhtml", "application/octet-stream"],
    ["message/rfc822", "page.mht", "application/octet-stream"],
    ["application/signed-exchange;v=b3", "page.sxg", "application/octet-stream"],
    ["application/pdf", "report.pdf", "application/pdf"]
  ] as const)("%s of %s is %s", ([declared, name, shown]) => {
    assert.strictEqual(shownType(declared, name), shown)
  })
})
