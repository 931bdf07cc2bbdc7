/** PUTs to presigned URLs with parts that the URLs weren't signed for: each would copy, publish or change an object on a server that obeys it. */
import { request } from "node:http"
import { text } from "node:stream/consumers"

/** Additional headers of a PUT, and an additional query of its URL. */
interface Attack {
  readonly name: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly query: string
}

type Fields = ReadonlyArray<readonly [name: string, value: string]>

const inBytes = (text: string) =>
  text.replaceAll(/./g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`)

/** What the headers say, for an object `source` (`bucket/key`) of the same credentials. */
const variants = (source: string): Readonly<Record<string, Fields>> => {
  const copy = (value: string, ...more: Fields): Fields => [["x-amz-copy-source", value], ...more]
  const later = new Date(Date.now() + 86_400_000).toISOString()
  return {
    "a copy": copy(source),
    "a copy with a leading slash": copy(`/${source}`),
    "a copy of a version": copy(`${source}?versionId=null`),
    "a copy of an encoded name": copy(source.replace(/\/.*/s, (path) => `/${inBytes(path.slice(1))}`)),
    "a copy of a wholly encoded name": copy(encodeURIComponent(source)),
    "a copy by its ARN": copy(`arn:aws:s3:::${source}`),
    "a copy of a range": copy(source, ["x-amz-copy-source-range", "bytes=0-4"], ["range", "bytes=0-4"]),
    "a copy if it matches": copy(source, ["x-amz-copy-source-if-match", "*"]),
    "a copy if it doesn't match": copy(source, ["x-amz-copy-source-if-none-match", '"none"']),
    "a copy if it was modified": copy(source, ["x-amz-copy-source-if-modified-since", new Date(0).toUTCString()]),
    "a copy if it wasn't modified": copy(source, [
      "x-amz-copy-source-if-unmodified-since",
      new Date(later).toUTCString()
    ]),
    "a copy with its metadata": copy(source, ["x-amz-metadata-directive", "COPY"]),
    "a copy with other metadata": copy(source, ["x-amz-metadata-directive", "REPLACE"]),
    "a copy with its tags": copy(source, ["x-amz-tagging-directive", "COPY"]),
    "a copy that is published": copy(source, ["x-amz-acl", "public-read"]),
    "a copy of an expected owner": copy(source, ["x-amz-source-expected-bucket-owner", "slipway"]),
    "two sources of a copy": copy(source, ["x-amz-copy-source", "none/none"]),
    "a copy in capitals": [["X-AMZ-COPY-SOURCE", source]],
    ...Object.fromEntries(
      ["private", "public-read", "public-read-write", "authenticated-read", "bucket-owner-full-control"].map(
        (acl) => [`the ACL ${acl}`, [["x-amz-acl", acl]]] as const
      )
    ),
    "two ACLs": [
      ["x-amz-acl", "private"],
      ["x-amz-acl", "public-read"]
    ],
    ...Object.fromEntries(
      ["read", "read-acp", "write-acp", "full-control"].map(
        (grant) =>
          [
            `a grant of ${grant}`,
            [[`x-amz-grant-${grant}`, 'uri="http://acs.amazonaws.com/groups/global/AllUsers"']]
          ] as const
      )
    ),
    tags: [["x-amz-tagging", "public=true"]],
    "a storage class": [["x-amz-storage-class", "GLACIER"]],
    "a redirect": [["x-amz-website-redirect-location", "https://elsewhere.example/"]],
    encryption: [["x-amz-server-side-encryption", "AES256"]],
    "encryption by a key of the client": [
      ["x-amz-server-side-encryption-customer-algorithm", "AES256"],
      ["x-amz-server-side-encryption-customer-key", Buffer.alloc(32).toString("base64")]
    ],
    "a lock": [
      ["x-amz-object-lock-mode", "COMPLIANCE"],
      ["x-amz-object-lock-retain-until-date", later]
    ],
    "a legal hold": [["x-amz-object-lock-legal-hold", "ON"]],
    "a payload that isn't signed": [["x-amz-content-sha256", "UNSIGNED-PAYLOAD"]],
    "signed chunks": [
      ["x-amz-content-sha256", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"],
      ["x-amz-decoded-content-length", "1000000"],
      ["content-encoding", "aws-chunked"]
    ],
    "a trailer": [
      ["x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"],
      ["x-amz-trailer", "x-amz-checksum-crc32"]
    ],
    "another length": [["x-amz-decoded-content-length", "1000000"]],
    "a token": [["x-amz-security-token", "token"]]
  }
}

/** Spellings that no SDK uses: a proxy may refuse or remove them. */
const spelledOtherwise = (source: string): Readonly<Record<string, Fields>> => ({
  "a copy with underscores": [["x_amz_copy_source", source]],
  "a copy with an underscore": [["x-amz_copy-source", source]],
  "an ACL with underscores": [["x_amz_acl", "public-read"]],
  "an ACL beside an empty authorization": [
    ["authorization", "AWS4-HMAC-SHA256 Credential=none"],
    ["authorization", ""],
    ["x_amz_acl", "public-read"]
  ],
  "a header that no server has": [["x-amz-slipway", "1"]]
})

const queryOf = (fields: Fields): string =>
  fields.map(([name, value]) => `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("")

/** Attacks that must be refused: each variant in the headers and in the query. */
export const attacksWith = (source: string): ReadonlyArray<Attack> =>
  Object.entries(variants(source)).flatMap(([name, fields]) => [
    { name: `${name}, in headers`, headers: fields, query: "" },
    { name: `${name}, in the query`, headers: [], query: queryOf(fields) }
  ])

/** Attacks that must be refused, or stored as if they were plain PUTs. */
export const misspelledAttacksWith = (source: string): ReadonlyArray<Attack> =>
  Object.entries(spelledOtherwise(source)).map(([name, headers]) => ({ name, headers, query: "" }))

/** Sends a PUT with the parts of an attack over a connection of its own. Returns the status. */
export const sendAttack = (
  url: string,
  { headers, query }: Attack,
  { body, contentType }: { readonly body: Uint8Array; readonly contentType: string }
): Promise<number> => {
  const { promise, reject, resolve } = Promise.withResolvers<number>()
  const { host } = new URL(url)
  const fields: Fields = [
    ["host", host],
    ["content-type", contentType],
    ["content-length", String(body.byteLength)],
    ...headers
  ]
  const sent = request(url + query, { method: "PUT", agent: false, headers: fields.flat() }, (answer) => {
    text(answer).then(() => resolve(answer.statusCode ?? 0), reject)
  })
  sent.on("error", reject)
  sent.end(body)
  return promise
}
