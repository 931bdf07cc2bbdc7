/** An Ed25519 signature over a report, so that nobody can change it on its way. */
import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from "node:crypto"
import { isList, isObject } from "../dialect/search.ts"
import type { Json } from "../session/Exchange.ts"
import { renderJson } from "./json.ts"
import type { Report } from "./Report.ts"

const sorted = (json: Json): Json => {
  if (isList(json)) return json.map(sorted)
  if (!isObject(json)) return json
  const entries = Object.entries(json).map(([name, value]) => [name, sorted(value)] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** What is signed: the report without its signature as compact JSON, its members in the order of their names. */
const signedText = (report: Readonly<Record<string, Json>>): Buffer => {
  const { signature: _, ...rest } = report
  return Buffer.from(JSON.stringify(sorted(rest)))
}

/** The Ed25519 private key in a PEM file; `undefined` when there is none in it. */
export const privateKeyIn = (pem: string): KeyObject | undefined => {
  try {
    const key = createPrivateKey(pem)
    return key.asymmetricKeyType === "ed25519" ? key : undefined
  } catch {
    return undefined
  }
}

/** The report with a signature by this key in place of any that it has. */
export const signed = (report: Report, key: KeyObject): Report => {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
  const value = sign(null, signedText(JSON.parse(renderJson(report))), key).toString("base64")
  return { ...report, signature: { algorithm: "ed25519", publicKey, value } }
}

/** A public key as people compare it, like that of `ssh-keygen -l`. */
const fingerprint = (der: Buffer): string => `SHA256:${createHash("sha256").update(der).digest("base64url")}`

/** Whose signature a parsed report has, and whether it is over this report; `undefined` when it has none. */
export const signatureOf = (
  said: Readonly<Record<string, Json>>,
  { signature }: Pick<Report, "signature">
): { readonly by: string; readonly fits: boolean } | undefined => {
  if (signature === undefined) return undefined
  const der = Buffer.from(signature.publicKey, "base64")
  const by = fingerprint(der)
  try {
    const key = createPublicKey({ key: der, format: "der", type: "spki" })
    const fits = key.asymmetricKeyType === "ed25519"
    return { by, fits: fits && verify(null, signedText(said), key, Buffer.from(signature.value, "base64")) }
  } catch {
    return { by, fits: false }
  }
}
