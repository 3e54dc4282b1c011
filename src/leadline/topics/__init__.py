"""What is asked?"""
