"""What hard identifiers are made of: names, dates, numbers, sentences, in two parts that share nothing."""
