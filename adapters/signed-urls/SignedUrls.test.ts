import { assert, describe, it } from "@effect/vitest"
import { DateTime, Redacted, Result } from "effect"
import { SignedUrls } from "./SignedUrls.ts"

const at = (millis: number): DateTime.Utc => DateTime.makeUnsafe(millis)
const urlsAt = (baseUrl: string, secret = "secret") =>
  SignedUrls.make({ secret: Redacted.make(secret), baseUrl: () => baseUrl })
const urls = urlsAt("https://ci.example")

const put = {
  key: "uploads/1/bundle",
  contentType: "text/javascript; charset=utf-8",
  sizeBytes: 42,
  expiresAt: at(2000)
}
const get = { key: "hosted/1/bundle", expiresAt: at(2000) }

const targetOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}
const verify = (method: string, url: string, now = at(1999)) => urls.verify(method, targetOf(url), now)
const detailOf = (result: ReturnType<typeof verify>): string =>
  Result.isFailure(result) ? result.failure.detail : "allowed"
const mismatch = "The signature of this URL does not fit the request."

describe("SignedUrls", () => {
  it("signs a PUT, and the URL allows nothing else", () => {
    const url = urls.put(put)
    assert.strictEqual(
      url,
      "https://ci.example/objects/uploads/1/bundle?expires=2000&type=text%2Fjavascript%3B+charset%3Dutf-8&length=42&signature=NTFxFKA75eplAxNTHneQSb6HpczbL2dJMTYbtkHdv-A"
    )
    assert.deepStrictEqual(
      verify("PUT", url),
      Result.succeed({ method: "PUT", key: put.key, contentType: put.contentType, sizeBytes: 42 })
    )
  })

  it("signs with the first of several secrets, and accepts what any of them signed", () => {
    const both = SignedUrls.make({
      secret: [Redacted.make("new"), Redacted.make("secret")],
      baseUrl: () => "https://ci.example"
    })
    assert.strictEqual(both.put(put), urlsAt("https://ci.example", "new").put(put))
    for (const secret of ["new", "secret"]) {
      const url = urlsAt("https://ci.example", secret).put(put)
      assert.isTrue(Result.isSuccess(both.verify("PUT", targetOf(url), at(1999))), secret)
    }
    const other = both.verify("PUT", targetOf(urlsAt("https://ci.example", "another").put(put)), at(1999))
    assert.strictEqual(detailOf(other), mismatch)
  })

  it("signs a GET, and the URL allows nothing else", () => {
    const url = urls.get(get)
    assert.strictEqual(
      url,
      "https://ci.example/objects/hosted/1/bundle?expires=2000&signature=EQJb1ES1-gRnPHzs_jLQzilDfoJHtwsWKWa2ydpVN7M"
    )
    assert.deepStrictEqual(verify("GET", url), Result.succeed({ method: "GET", key: get.key }))
  })

  it("covers every field of a PUT with the signature", () => {
    const others = [
      { ...put, key: "uploads/1/bundl" },
      { ...put, key: "uploads/1/bundle2" },
      { ...put, contentType: "text/javascript" },
      { ...put, sizeBytes: 43 },
      { ...put, expiresAt: at(2001) }
    ]
    const signature = new URL(urls.put(put)).searchParams.get("signature") ?? ""
    for (const other of others) {
      const forged = new URL(urls.put(other))
      assert.notStrictEqual(forged.searchParams.get("signature"), signature)
      forged.searchParams.set("signature", signature)
      assert.strictEqual(detailOf(verify("PUT", forged.href)), mismatch)
    }
  })

  it("covers every field of a GET with the signature", () => {
    const signature = new URL(urls.get(get)).searchParams.get("signature") ?? ""
    for (const other of [
      { ...get, key: "hosted/1/bundle2" },
      { ...get, expiresAt: at(2001) }
    ]) {
      const forged = new URL(urls.get(other))
      forged.searchParams.set("signature", signature)
      assert.strictEqual(detailOf(verify("GET", forged.href)), mismatch)
    }
  })

  it("keeps fields from running into each other", () => {
    const url = new URL(urls.put({ ...put, contentType: 'a/b","42', sizeBytes: 7 }))
    url.searchParams.set("type", "a/b")
    url.searchParams.set("length", '42","7')
    assert.strictEqual(detailOf(verify("PUT", url.href)), mismatch)
  })

  it.for(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "put", ""])("refuses %s on the URL of a PUT", (method) => {
    assert.strictEqual(detailOf(verify(method, urls.put(put))), mismatch)
  })

  it.for(["PUT", "HEAD", "POST", "DELETE", "OPTIONS", "get", ""])("refuses %s on the URL of a GET", (method) => {
    assert.strictEqual(detailOf(verify(method, urls.get(get))), mismatch)
  })

  it("refuses a URL of another secret", () => {
    assert.strictEqual(detailOf(verify("GET", urlsAt("https://ci.example", "other").get(get))), mismatch)
  })

  it("refuses a URL at the moment of its expiry", () => {
    assert.strictEqual(detailOf(verify("GET", urls.get(get), at(1999))), "allowed")
    assert.strictEqual(detailOf(verify("GET", urls.get(get), at(2000))), "This URL is past its time.")
  })

  it("refuses an additional, a missing or a repeated parameter", () => {
    const url = urls.put(put)
    assert.strictEqual(detailOf(verify("PUT", `${url}&x=1`)), mismatch)
    assert.strictEqual(detailOf(verify("PUT", `${url}&expires=9999`)), mismatch)
    assert.strictEqual(detailOf(verify("PUT", url.replace("&length=42", ""))), mismatch)
    assert.strictEqual(detailOf(verify("PUT", url.slice(0, url.indexOf("?")))), mismatch)
  })

  it("refuses a signature that differs only in the unused bits of its Base64", () => {
    const url = urls.get(get)
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    const last = alphabet.indexOf(url.slice(-1))
    assert.strictEqual(detailOf(verify("GET", url.slice(0, -1) + alphabet[last ^ 1])), mismatch)
  })

  it.for([
    "/objects/uploads/1%2Fbundle",
    "/objects/uploads/1/%62undle",
    "/objects//uploads/1/bundle",
    "/objects/uploads/1/./bundle",
    "/objects/uploads/1/x/../bundle",
    "//objects/uploads/1/bundle",
    "/slipway/objects/uploads/1/bundle",
    "/uploads/1/bundle",
    "//[/objects/uploads/1/bundle",
    ""
  ])("refuses a key that is written otherwise: %s", (path) => {
    const { search } = new URL(urls.put(put))
    assert.strictEqual(detailOf(urls.verify("PUT", path + search, at(0))), mismatch)
  })

  it("signs below the path of a base URL, and verifies the path that a proxy passes on", () => {
    for (const base of ["https://ci.example/objects/slipway", "https://ci.example/objects/slipway/"]) {
      const url = urlsAt(base).get(get)
      assert.isTrue(url.startsWith("https://ci.example/objects/slipway/objects/hosted/1/bundle?"))
      const target = targetOf(url).replace("/objects/slipway", "")
      assert.strictEqual(detailOf(urls.verify("GET", target, at(0))), "allowed")
    }
  })
})
