/** Where a preview that is ready can be opened without a session: its running documents, and its objects. */
export interface Openings {
  readonly framePath: string
  readonly objectsPath: string
  /** The page that shows one of its files or recordings. */
  readonly viewPath: string
}
