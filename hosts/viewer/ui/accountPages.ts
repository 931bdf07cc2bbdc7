/** The pages of an account that only owners see, and those that everyone sees: their paths and names. */
const ownerPages = {
  "/account/keys": "API keys",
  "/account/repositories": "Repositories",
  "/account/webhooks": "Webhooks",
  "/account/retention": "Retention"
}
const pages = { "/usage": "Usage", "/audit": "Audit log" }

/** The pages of the account for who is signed in: their paths and names. */
export const accountPages = ({
  hasSessions,
  mayAdminister
}: {
  readonly hasSessions?: boolean | undefined
  readonly mayAdminister?: boolean | undefined
}): ReadonlyArray<readonly [path: string, name: string]> =>
  Object.entries({
    ...(mayAdminister === true ? ownerPages : {}),
    ...pages,
    ...(hasSessions === true ? { "/sessions": "Sessions" } : {})
  })
