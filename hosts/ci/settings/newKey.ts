/** The command that makes a key with every scope of CI. */
export const newKey =
  "  slipway key create --account ACCOUNT --name ci --scope builds --scope preview_upload --scope test_runs"
