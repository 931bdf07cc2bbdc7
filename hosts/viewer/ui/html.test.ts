import { assert, describe, it } from "@effect/vitest"
import { html, joinHtml, rawHtml, type Html } from "./html.ts"

const hostile = `<b title="a">it's & co</b>`
const escaped = "&lt;b title=&quot;a&quot;&gt;it&#39;s &amp; co&lt;/b&gt;"

describe("html", () => {
  it("escapes strings in text and in attributes in quotes", () => {
    assert.strictEqual(String(html`<i title="${hostile}">${hostile}</i>`), `<i title="${escaped}">${escaped}</i>`)
    assert.strictEqual(String(html`${[hostile, 1, html`<br />`]}`), `${escaped}1<br />`)
  })

  it("inserts markup once, lists without separators, and nothing for undefined and null", () => {
    const parts = [html`<b>${"&"}</b>`, html`<i></i>`]
    assert.strictEqual(String(html`<p>${parts}${undefined}${null}</p>`), "<p><b>&amp;</b><i></i></p>")
    assert.strictEqual(String(joinHtml(parts, " & ")), "<b>&amp;</b> &amp; <i></i>")
  })

  it("inserts text unescaped only by rawHtml", () => {
    assert.strictEqual(String(html`<p>${rawHtml(hostile)}</p>`), `<p>${hostile}</p>`)
  })

  it("refuses strings as markup, and values that are neither markup nor text", () => {
    // @ts-expect-error: a string is not markup.
    const markup: Html = hostile
    // @ts-expect-error: markup is not a string, so joining it with text is not overlooked.
    const text: string = html`<br />`
    // @ts-expect-error: the library would write "true".
    const flag = html`${true}`
    // @ts-expect-error: an object has no text.
    const object = html`${{}}`
    assert.lengthOf([markup, text, flag, object], 4)
  })
})
