/**
 * The forms of secrets: API keys and reservation tokens. Random bytes are passed in.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import Crc32 from "crc-32"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const prefix = "slip_"
const keyForm = /^slip_[0-9A-Za-z]{46}$/

/** The SHA-256 of a key or token in lower-case hex. It is stored instead of the secret. */
export const hashSecret = (secret: string): string => bytesToHex(sha256(utf8ToBytes(secret)))

/**
 * `length` base62 characters from random bytes, without bias: bytes from 248 up are skipped. `undefined` when the
 * bytes run out first; twice `length` bytes run out about once in 10^25 times for 40 characters.
 */
export const base62 = (random: Uint8Array, length: number): string | undefined => {
  let out = ""
  for (const byte of random) {
    if (out.length === length) break
    if (byte < 248) out += alphabet.charAt(byte % 62)
  }
  return out.length === length ? out : undefined
}

const checksum = (body: string): string => {
  let rest = Crc32.str(body) >>> 0
  let out = ""
  for (let i = 0; i < 6; i++) {
    out = alphabet.charAt(rest % 62) + out
    rest = Math.floor(rest / 62)
  }
  return out
}

/** An API key from 40 random base62 characters: `slip_`, those, and the CRC-32 of both in 6 base62 characters. */
export const makeKey = (random: string): string => `${prefix}${random}${checksum(prefix + random)}`

/** Whether a string has the form and the checksum of a key. It rejects a mistyped key without a look-up in the store. */
export const isKey = (key: string): boolean => keyForm.test(key) && checksum(key.slice(0, -6)) === key.slice(-6)

/** The first four random characters of an API key with what stands before them; `undefined` for what is no key at all. */
export const keyPrefix = (key: string): string | undefined => /^slip_[0-9A-Za-z]{4}/.exec(key)?.[0]
