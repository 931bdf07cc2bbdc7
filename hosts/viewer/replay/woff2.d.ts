/** A font file, as the bundler puts it into a script. */
declare module "*.woff2" {
  const bytes: Uint8Array<ArrayBuffer>
  export default bytes
}
