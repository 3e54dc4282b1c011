"""XML, SGML and coded text: parsed, checked, and turned into plain text."""
