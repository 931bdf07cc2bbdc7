import { StyleSheet, View } from "react-native"
import { useTheme } from "../parts/theme.js"

/** A raised sheet. */
export const Card = ({ children, style }) => {
  const theme = useTheme()
  const raised = { backgroundColor: theme.surface, boxShadow: theme.shadow }
  return <View style={[styles.card, raised, style]}>{children}</View>
}

const styles = StyleSheet.create({
  card: { borderRadius: 20, padding: 18 }
})
